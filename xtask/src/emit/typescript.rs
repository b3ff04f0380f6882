//! TypeScript definitions of every shape, tool input and tool output.

use std::fmt::Write as _;

use crate::contract::{Contract, Form, Property, Schema, type_name};
use crate::emit::header;
use crate::write::Files;

/// Emits `typescript/contract.ts`.
pub fn emit(contract: &Contract) -> Files {
    let mut text = header(contract, "//");
    let settings = &contract.settings;
    let _ = writeln!(
        text,
        "\n/** Version of the contract that these definitions were made from. */\nexport const CONTRACT_VERSION = {:?};\n\n/** Slot of `capabilities.experimental` that announces the contract version. */\nexport const CONTRACT_CAPABILITY = {:?};\n",
        settings.version, settings.capability
    );
    let codes: Vec<String> = contract
        .errors
        .iter()
        .map(|entry| format!("{:?}", entry.code))
        .collect();
    let _ = writeln!(
        text,
        "/** The closed error vocabulary. */\nexport const ERROR_CODES = [{}] as const;\nexport type ErrorCode = (typeof ERROR_CODES)[number];\n",
        codes.join(", ")
    );
    let prefixes: Vec<String> = settings
        .prefixes
        .iter()
        .map(|prefix| format!("{:?}", prefix.text))
        .collect();
    let _ = writeln!(
        text,
        "/** Stable beginnings of error messages. */\nexport const MESSAGE_PREFIXES = [{}] as const;\nexport type MessagePrefix = (typeof MESSAGE_PREFIXES)[number];\n",
        prefixes.join(", ")
    );
    text.push_str(
        "/** Body of every failure. */\nexport interface ErrorBody {\n  error: {\n    code: ErrorCode;\n    message: string;\n    details?: Record<string, unknown>;\n  };\n}\n",
    );
    for (name, shape) in &contract.shapes {
        declare(&mut text, &type_name(name), shape);
    }
    for tool in contract.tools.values() {
        let name = type_name(&tool.name);
        declare(&mut text, &format!("{name}Input"), &tool.input);
        declare(&mut text, &format!("{name}Output"), &tool.output);
    }
    text.push_str("\n/** Input and output of every tool by name. */\nexport interface Tools {\n");
    for tool in contract.tools.values() {
        let name = type_name(&tool.name);
        document(&mut text, "  ", Some(&tool.title));
        let _ = writeln!(
            text,
            "  {}: {{ input: {name}Input; output: {name}Output }};",
            tool.name
        );
    }
    text.push_str("}\n");
    Files::from([("typescript/contract.ts".to_owned(), text)])
}

fn declare(text: &mut String, name: &str, schema: &Schema) {
    text.push('\n');
    document(text, "", schema.description.as_deref());
    match &schema.form {
        Form::Object { properties, closed } => {
            let _ = writeln!(text, "export interface {name} {{");
            members(text, "  ", properties, *closed);
            text.push_str("}\n");
        }
        _ => {
            let _ = writeln!(text, "export type {name} = {};", expression(schema, ""));
        }
    }
}

fn members(text: &mut String, indent: &str, properties: &[Property], closed: bool) {
    for property in properties {
        document(text, indent, property.schema.description.as_deref());
        let mark = if property.required { "" } else { "?" };
        let _ = writeln!(
            text,
            "{indent}{}{mark}: {};",
            property.name,
            expression(&property.schema, indent)
        );
    }
    if !closed {
        let _ = writeln!(text, "{indent}/** A later minor version may add fields. */");
        let _ = writeln!(text, "{indent}[field: string]: unknown;");
    }
}

fn expression(schema: &Schema, indent: &str) -> String {
    let plain = match &schema.form {
        Form::Shape(name) => type_name(name),
        Form::Object { properties, closed } => {
            let mut text = "{\n".to_owned();
            members(&mut text, &format!("{indent}  "), properties, *closed);
            text + indent + "}"
        }
        Form::Array { items, .. } => format!("Array<{}>", expression(items, indent)),
        Form::String { .. } => "string".to_owned(),
        Form::Enum { members, open } => {
            let mut names: Vec<String> =
                members.iter().map(|member| format!("{member:?}")).collect();
            if *open {
                // Keeps completion of the known members while reading any.
                names.push("(string & {})".to_owned());
            }
            names.join(" | ")
        }
        Form::Integer { .. } | Form::Number { .. } => "number".to_owned(),
        Form::Boolean => "boolean".to_owned(),
        Form::Tagged { variants, .. } => variants
            .iter()
            .map(|variant| expression(variant, indent))
            .collect::<Vec<_>>()
            .join(" | "),
    };
    if schema.nullable {
        format!("{plain} | null")
    } else {
        plain
    }
}

fn document(text: &mut String, indent: &str, description: Option<&str>) {
    if let Some(description) = description {
        let _ = writeln!(text, "{indent}/** {} */", description.replace("*/", "*\\/"));
    }
}
