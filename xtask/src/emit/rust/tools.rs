//! The handler trait, its views, dispatch and what the door needs to know of
//! each tool.

use std::fmt::Write as _;

use serde_json::Value;

use crate::contract::{Contract, Form, Schema, Tool, Toolset, type_name};
use crate::emit::rust::constant;
use crate::lower::access_word;

const FRAME: &str = "
/// What a handler may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing changes.
    Read,
    /// Things are added; nothing is lost without a successor.
    Append,
    /// Everything.
    Write,
}

/// An error that a tool may answer with, besides `internal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolError {
    /// Its code.
    pub code: ErrorCode,
    /// The stable beginning of its message, if it has one.
    pub prefix: Option<Prefix>,
}

/// A bound in bytes of UTF-8, which no JSON Schema keyword can state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteLimit {
    /// JSON pointer of the string; `*` stands for any index.
    pub pointer: &'static str,
    /// Most bytes that it may have.
    pub max_bytes: usize,
}

/// Opens the views that handlers get.
pub trait Views {
    /// Who calls, and in which session.
    type Call;
    /// A view that cannot change anything.
    type Read<'v>;
    /// A view that can add.
    type Append<'v>;
    /// A view that can do everything.
    type Write<'v>;

    /// Runs the closure on a snapshot.
    fn read<R>(
        &self,
        call: &Self::Call,
        body: impl FnOnce(&mut Self::Read<'_>) -> Result<R, Error>,
    ) -> Result<R, Error>;

    /// Runs the closure in a transaction; `Ok` means that it is on disk.
    fn append<R>(
        &self,
        call: &Self::Call,
        body: impl FnOnce(&mut Self::Append<'_>) -> Result<R, Error>,
    ) -> Result<R, Error>;

    /// Runs the closure in a transaction; `Ok` means that it is on disk.
    fn write<R>(
        &self,
        call: &Self::Call,
        body: impl FnOnce(&mut Self::Write<'_>) -> Result<R, Error>,
    ) -> Result<R, Error>;
}

fn decode<T: serde::de::DeserializeOwned>(arguments: serde_json::Value) -> Result<T, Error> {
    serde_json::from_value(arguments).map_err(|error| Error::validation(error.to_string()))
}

fn encode<T: serde::Serialize>(output: T) -> Result<serde_json::Value, Error> {
    serde_json::to_value(output).map_err(Error::internal)
}
";

/// Returns the source of `tools.rs`.
pub fn source(contract: &Contract) -> String {
    let tools: Vec<&Tool> = contract.tools.values().collect();
    let each = |line: &dyn Fn(&Tool) -> String| -> String {
        tools.iter().map(|tool| line(tool)).collect()
    };
    let mut text = String::from(
        "//! The tools: one method each, with the view that its `access` allows.
        use crate::constants::*;
        use crate::error::Error;
        use crate::errors::{ErrorCode, Prefix};
        use crate::types::*;
        ",
    );
    text.push_str(FRAME);
    let _ = write!(
        text,
        "/// Every tool.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ToolName {{ {} }}
        impl ToolName {{
            /// Every tool, by name.
            pub const ALL: [Self; {}] = [{}];
            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {{ match self {{ {} }} }}
            /// Returns the tool of this name.
            pub fn find(name: &str) -> Option<Self> {{ Self::ALL.into_iter().find(|tool| tool.as_str() == name) }}
            /// Returns what its handler may touch.
            pub const fn access(self) -> Access {{ match self {{ {} }} }}
            /// Returns whether the core toolset holds it.
            pub const fn is_core(self) -> bool {{ match self {{ {} }} }}
            /// Returns the errors that it may answer with, besides `internal`.
            pub const fn errors(self) -> &'static [ToolError] {{ match self {{ {} }} }}
            /// Returns what of a call will go, as JSON pointers into the
            /// arguments; `*` stands for any index, and the empty pointer for
            /// the tool itself.
            pub const fn deprecated(self) -> &'static [&'static str] {{ match self {{ {} }} }}
            /// Returns its bounds in bytes.
            pub const fn byte_limits(self) -> &'static [ByteLimit] {{ match self {{ {} }} }}
        }}",
        each(&|tool| format!("/// {}.\n{},", tool.title, type_name(&tool.name))),
        tools.len(),
        each(&|tool| format!("Self::{},", type_name(&tool.name))),
        each(&|tool| format!("Self::{} => {:?},", type_name(&tool.name), tool.name)),
        each(&|tool| format!(
            "Self::{} => Access::{},",
            type_name(&tool.name),
            type_name(access_word(tool.access))
        )),
        each(&|tool| format!(
            "Self::{} => {},",
            type_name(&tool.name),
            tool.toolset == Toolset::Core
        )),
        each(&|tool| format!("Self::{} => &[{}],", type_name(&tool.name), errors_of(tool))),
        each(&|tool| {
            let mut pointers = Vec::new();
            if tool.deprecated.is_some() {
                pointers.push(String::new());
            }
            deprecated(contract, &tool.input, "", &mut pointers);
            format!("Self::{} => &{pointers:?},", type_name(&tool.name))
        }),
        each(&|tool| {
            let mut limits = String::new();
            byte_limits(contract, &tool.input, "", &mut limits);
            format!("Self::{} => &[{limits}],", type_name(&tool.name))
        }),
    );
    let _ = write!(
        text,
        "/// One method per tool.
        pub trait Tools: Views {{ {} }}",
        each(&|tool| {
            format!(
            "/// {}.
            fn {}(&self, call: &Self::Call, view: &mut Self::{}<'_>, input: {name}Input) -> Result<{name}Output, Error>;",
            tool.title,
            tool.name,
            type_name(access_word(tool.access)),
            name = type_name(&tool.name),
        )
        })
    );
    let _ = write!(
        text,
        "/// Opens the view that the tool's access allows and calls its handler.
        ///
        /// The arguments must have been validated against the served schema.
        pub fn dispatch<T: Tools>(
            tools: &T,
            call: &T::Call,
            tool: ToolName,
            arguments: serde_json::Value,
        ) -> Result<serde_json::Value, Error> {{ match tool {{ {} }} }}",
        each(&|tool| format!(
            "ToolName::{} => {{
                let input = decode(arguments)?;
                encode(Views::{}(tools, call, |view| Tools::{}(tools, call, view, input))?)
            }}",
            type_name(&tool.name),
            access_word(tool.access),
            tool.name,
        ))
    );
    let _ = write!(
        text,
        "/// Implements [`Tools`] by the free function `<tool>` of the module
        /// `<tool>` beside the place of the call, one file per tool.
        #[macro_export]
        macro_rules! implement_tools {{
            ($type:ty) => {{
                {}
                impl $crate::tools::Tools for $type {{ {} }}
            }};
        }}",
        each(&|tool| format!("mod {};", tool.name)),
        each(&|tool| format!(
            "fn {name}(
                &self,
                call: &<Self as $crate::tools::Views>::Call,
                view: &mut <Self as $crate::tools::Views>::{view}<'_>,
                input: $crate::types::{type_name}Input,
            ) -> Result<$crate::types::{type_name}Output, $crate::error::Error> {{
                {name}::{name}(self, call, view, input)
            }}",
            name = tool.name,
            view = type_name(access_word(tool.access)),
            type_name = type_name(&tool.name),
        ))
    );
    for tool in &tools {
        let name = constant(&tool.name);
        let _ = write!(
            text,
            "/// Description of `{}` as served.
            pub const {name}_DESCRIPTION: &str = {:?};
            const _: () = assert!({name}_DESCRIPTION.len() <= TOOL_DESCRIPTION_MAX_BYTES);
            const _: () = assert!({:?}.len() <= TOOL_NAME_MAX_BYTES);",
            tool.name, tool.description, tool.name
        );
        defaults(&mut text, tool);
    }
    text
}

fn errors_of(tool: &Tool) -> String {
    tool.errors
        .iter()
        .map(|error| {
            let prefix = error.prefix.as_ref().map_or_else(
                || "None".to_owned(),
                |prefix| format!("Some(Prefix::{})", type_name(prefix.trim_end_matches(':'))),
            );
            format!(
                "ToolError {{ code: ErrorCode::{}, prefix: {prefix} }},",
                type_name(&error.code)
            )
        })
        .collect()
}

fn deprecated(contract: &Contract, schema: &Schema, pointer: &str, found: &mut Vec<String>) {
    if schema.deprecated.is_some() {
        found.push(pointer.to_owned());
    }
    match &schema.form {
        Form::Object { properties, .. } => {
            for property in properties {
                let place = format!("{pointer}/{}", property.name);
                deprecated(contract, &property.schema, &place, found);
            }
        }
        Form::Array { items, .. } => deprecated(contract, items, &format!("{pointer}/*"), found),
        Form::Shape(name) => {
            if let Some(shape) = contract.shapes.get(name) {
                deprecated(contract, shape, pointer, found);
            }
        }
        Form::String { .. }
        | Form::Enum { .. }
        | Form::Integer { .. }
        | Form::Number { .. }
        | Form::Boolean
        | Form::Tagged { .. } => {}
    }
}

fn byte_limits(contract: &Contract, schema: &Schema, pointer: &str, text: &mut String) {
    match &schema.form {
        Form::Object { properties, .. } => {
            for property in properties {
                let place = format!("{pointer}/{}", property.name);
                byte_limits(contract, &property.schema, &place, text);
            }
        }
        Form::Array { items, .. } => {
            byte_limits(contract, items, &format!("{pointer}/*"), text);
        }
        Form::Shape(name) => {
            if let Some(shape) = contract.shapes.get(name) {
                byte_limits(contract, shape, pointer, text);
            }
        }
        Form::String {
            max_bytes: Some(max_bytes),
            ..
        } => {
            let _ = write!(
                text,
                "ByteLimit {{ pointer: {pointer:?}, max_bytes: {max_bytes} }},"
            );
        }
        Form::String { .. }
        | Form::Enum { .. }
        | Form::Integer { .. }
        | Form::Number { .. }
        | Form::Boolean
        | Form::Tagged { .. } => {}
    }
}

fn defaults(text: &mut String, tool: &Tool) {
    let Form::Object { properties, .. } = &tool.input.form else {
        return;
    };
    for property in properties {
        let (kind, value) = match &property.schema.default {
            Some(Value::Bool(value)) => ("bool", value.to_string()),
            Some(Value::Number(value)) if value.is_i64() => ("i64", value.to_string()),
            Some(Value::Number(value)) => ("f64", value.to_string()),
            Some(Value::String(value)) => ("&str", format!("{value:?}")),
            _ => continue,
        };
        let _ = writeln!(
            text,
            "/// Value of an absent `{}` of `{}`.\npub const {}_{}_DEFAULT: {kind} = {value};",
            property.name,
            tool.name,
            constant(&tool.name),
            constant(&property.name),
        );
    }
}
