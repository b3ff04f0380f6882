//! The TypeScript package: definitions of every shape, tool input and tool
//! output here, the client in `typescript/sdk.rs`.

use std::fmt::Write as _;

use crate::contract::{Contract, Deprecation, Form, Property, Schema, type_name};
use crate::emit::header;
use crate::write::Files;

mod sdk;

/// Emits the npm package, whose `contract.ts` holds the definitions.
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
    let codes = settings.prefixes.iter();
    let codes: String = codes
        .map(|prefix| format!("  {:?}: {:?},\n", prefix.text, prefix.code))
        .collect();
    let _ = writeln!(
        text,
        "/** The code that each of them comes with; with another one it is a message like any other. */\nexport const PREFIX_CODES: Readonly<Record<MessagePrefix, ErrorCode>> = {{\n{codes}}};\n",
    );
    text.push_str(
        "/** Body of every failure. */\nexport interface ErrorBody {\n  error: {\n    code: ErrorCode;\n    message: string;\n    details?: Record<string, unknown>;\n  };\n}\n",
    );
    let writer = Writer { contract };
    for (name, shape) in &contract.shapes {
        writer.declare(&mut text, &type_name(name), writer.notes(shape), shape);
    }
    for tool in contract.tools.values() {
        let name = type_name(&tool.name);
        let about = |what: &str| vec![format!("{what} of `{}`: {}.", tool.name, tool.title)];
        writer.declare(
            &mut text,
            &format!("{name}Input"),
            about("Input"),
            &tool.input,
        );
        writer.declare(
            &mut text,
            &format!("{name}Output"),
            about("Output"),
            &tool.output,
        );
    }
    text.push_str("\n/** Input and output of every tool by name. */\nexport interface Tools {\n");
    for tool in contract.tools.values() {
        let name = type_name(&tool.name);
        let mut notes = vec![tool.description.clone()];
        notes.extend(tool.deprecated.as_ref().map(deprecated));
        document(&mut text, "  ", &notes);
        let _ = writeln!(
            text,
            "  {}: {{ input: {name}Input; output: {name}Output }};",
            tool.name
        );
    }
    text.push_str("}\n");
    prompts(&mut text, contract);
    let mut files = sdk::emit(contract);
    files.insert("typescript/contract.ts".to_owned(), text);
    files
}

fn prompts(text: &mut String, contract: &Contract) {
    if contract.prompts.is_empty() {
        return;
    }
    text.push_str("\n/** Arguments of every prompt by name. */\nexport interface Prompts {\n");
    for prompt in &contract.prompts {
        document(text, "  ", std::slice::from_ref(&prompt.description));
        let _ = writeln!(text, "  {}: {{", prompt.name);
        for argument in &prompt.arguments {
            document(text, "    ", std::slice::from_ref(&argument.description));
            let mark = if argument.required { "" } else { "?" };
            let _ = writeln!(text, "    {}{mark}: string;", argument.name);
        }
        text.push_str("  };\n");
    }
    text.push_str("}\n");
}

struct Writer<'a> {
    contract: &'a Contract,
}

impl Writer<'_> {
    fn declare(&self, text: &mut String, name: &str, notes: Vec<String>, schema: &Schema) {
        text.push('\n');
        document(text, "", &notes);
        match &schema.form {
            // An interface is open by nature: a field that a later minor
            // version adds is no error, and a misspelled one is.
            Form::Object { properties, .. } if !schema.nullable && !properties.is_empty() => {
                let _ = writeln!(text, "export interface {name} {{");
                self.members(text, "  ", properties);
                text.push_str("}\n");
            }
            _ => {
                let expression = self.expression(schema, "");
                let _ = writeln!(text, "export type {name} = {expression};");
            }
        }
    }

    fn members(&self, text: &mut String, indent: &str, properties: &[Property]) {
        for property in properties {
            document(text, indent, &self.notes(&property.schema));
            let mark = if property.required { "" } else { "?" };
            let _ = writeln!(
                text,
                "{indent}{}{mark}: {};",
                property.name,
                self.expression(&property.schema, indent)
            );
        }
    }

    /// Returns what is said of a schema: its description, or that of its
    /// shape, its default, and whether it will go.
    fn notes(&self, schema: &Schema) -> Vec<String> {
        let shape = self.contract.resolve(schema);
        let about = schema.description.as_ref().or(shape.description.as_ref());
        let default = schema.default.as_ref().or(shape.default.as_ref());
        let mut notes: Vec<String> = about.into_iter().cloned().collect();
        notes.extend(default.map(|value| format!("@default {value}")));
        notes.extend(schema.deprecated.as_ref().map(deprecated));
        notes
    }

    fn expression(&self, schema: &Schema, indent: &str) -> String {
        let plain = match &schema.form {
            Form::Shape(name) => type_name(name),
            // An empty interface would take any value.
            Form::Object { properties, closed } if properties.is_empty() => {
                let values = if *closed { "never" } else { "unknown" };
                format!("Record<string, {values}>")
            }
            Form::Object { properties, .. } => {
                let mut text = "{\n".to_owned();
                self.members(&mut text, &format!("{indent}  "), properties);
                text + indent + "}"
            }
            Form::Array { items, .. } => format!("Array<{}>", self.expression(items, indent)),
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
                .map(|variant| self.expression(variant, indent))
                .collect::<Vec<_>>()
                .join(" | "),
        };
        if schema.nullable {
            format!("{plain} | null")
        } else {
            plain
        }
    }
}

fn deprecated(deprecation: &Deprecation) -> String {
    format!(
        "@deprecated since {}: {}.",
        deprecation.since,
        deprecation.note()
    )
}

fn document(text: &mut String, indent: &str, notes: &[String]) {
    let notes: Vec<String> = notes
        .iter()
        .map(|note| note.replace("*/", "*\\/"))
        .collect();
    match notes.as_slice() {
        [] => {}
        [note] => {
            let _ = writeln!(text, "{indent}/** {note} */");
        }
        _ => {
            let _ = writeln!(text, "{indent}/**");
            for note in notes {
                let _ = writeln!(text, "{indent} * {note}");
            }
            let _ = writeln!(text, "{indent} */");
        }
    }
}
