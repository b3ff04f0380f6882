//! One method of the Rust client per tool, resource and prompt, with the words
//! of the contract as its documentation.

use std::fmt::Write as _;

use crate::contract::prompts::Prompt;
use crate::contract::{Address, Contract, Resource, Tool, type_name};

/// Returns the source of `methods.rs`.
pub fn source(contract: &Contract) -> String {
    let tools: String = contract.tools.values().map(tool).collect();
    let resources: String = contract.resources.iter().map(resource).collect();
    let prompts: String = contract.prompts.iter().map(prompt).collect();
    format!(
        "//! One method per tool, resource and prompt.
        use rmcp::model::GetPromptResult;
        use crate::Answer;
        use crate::ZeroMemory;
        use crate::Error;
        use crate::{{prompts, types}};
        /// Tools.
        impl ZeroMemory {{ {tools} }}
        /// Resources.
        impl ZeroMemory {{ {resources} }}
        /// Prompts.
        impl ZeroMemory {{ {prompts} }}"
    )
}

/// Returns the source of `prompts.rs`.
pub fn prompts(contract: &Contract) -> String {
    let arguments: String = contract.prompts.iter().map(arguments).collect();
    format!("//! Arguments of the prompts.\n{arguments}")
}

fn tool(tool: &Tool) -> String {
    let mut text = words(&tool.title, &tool.description);
    if let Some(deprecation) = &tool.deprecated {
        let _ = write!(
            text,
            "#[deprecated(since = {:?}, note = {:?})]",
            deprecation.since,
            deprecation.note()
        );
    }
    let (name, types) = (&tool.name, type_name(&tool.name));
    let _ = write!(
        text,
        "pub async fn {name}(&self, input: types::{types}Input) -> Result<Answer<types::{types}Output>, Error> {{
            self.call_typed({name:?}, &input).await
        }}"
    );
    text
}

fn resource(resource: &Resource) -> String {
    let about = words(&resource.title, &resource.description);
    let (name, shape) = (&resource.name, type_name(&resource.shape));
    let (parameters, address) = match &resource.address {
        Address::Uri(uri) => (String::new(), format!("{uri:?}.to_owned()")),
        Address::Template(template) => {
            let names = template
                .split('{')
                .skip(1)
                .filter_map(|part| part.split('}').next());
            let parameters = names.map(|name| format!("{name}: &str,")).collect();
            (parameters, format!("format!({template:?})"))
        }
    };
    format!(
        "{about}
        pub async fn {name}(&self, {parameters}) -> Result<Answer<types::{shape}>, Error> {{
            self.read_typed({name:?}, {address}).await
        }}"
    )
}

fn prompt(prompt: &Prompt) -> String {
    let about = words(&prompt.title, &prompt.description);
    let (name, types) = (&prompt.name, type_name(&prompt.name));
    format!(
        "{about}
        pub async fn prompt_{name}(&self, arguments: prompts::{types}Arguments) -> Result<GetPromptResult, Error> {{
            self.ask({name:?}, &arguments).await
        }}"
    )
}

/// Writes the arguments of a prompt as a type that may grow.
fn arguments(prompt: &Prompt) -> String {
    let types = type_name(&prompt.name);
    let mut fields = String::new();
    let mut parameters = String::new();
    let mut values = String::new();
    let mut setters = String::new();
    for argument in &prompt.arguments {
        let (name, about) = (&argument.name, format!(" {}", argument.description));
        if argument.required {
            let _ = write!(fields, "#[doc = {about:?}] pub {name}: String,");
            let _ = write!(parameters, "{name}: impl Into<String>,");
            let _ = write!(values, "{name}: {name}.into(),");
        } else {
            let _ = write!(
                fields,
                "#[doc = {about:?}]
                #[serde(skip_serializing_if = \"Option::is_none\")]
                pub {name}: Option<String>,"
            );
            let _ = write!(values, "{name}: None,");
            let _ = write!(
                setters,
                "#[doc = {about:?}]
                #[must_use]
                pub fn {name}(mut self, {name}: impl Into<String>) -> Self {{
                    self.{name} = Some({name}.into());
                    self
                }}"
            );
        }
    }
    let derives = if parameters.is_empty() {
        "Default, "
    } else {
        ""
    };
    format!(
        "/// Arguments of the prompt `{name}`.
        #[derive(Clone, Debug, {derives}PartialEq, serde::Serialize)]
        #[non_exhaustive]
        pub struct {types}Arguments {{ {fields} }}
        impl {types}Arguments {{
            /// Returns them with what is required; the rest is left out.
            pub fn new({parameters}) -> Self {{ Self {{ {values} }} }}
            {setters}
        }}",
        name = prompt.name
    )
}

/// Returns documentation: the title as its first line, then the words.
fn words(title: &str, description: &str) -> String {
    let title = format!("{title}.");
    let lines = [title.as_str(), ""].into_iter().chain(description.lines());
    lines
        .map(|line| {
            let space = if line.is_empty() { "" } else { " " };
            format!("#[doc = {:?}]\n", format!("{space}{line}"))
        })
        .collect()
}
