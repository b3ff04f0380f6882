//! The closed error vocabulary and the stable prefixes as enums.

use std::fmt::Write as _;

use crate::contract::{Contract, type_name};

/// Returns the source of `errors.rs`.
pub fn source(contract: &Contract) -> String {
    let mut text =
        String::from("//! The closed error vocabulary and the stable message prefixes.\n");
    enumeration(
        &mut text,
        "ErrorCode",
        "Why a call failed; the vocabulary is closed.",
        contract.errors.iter().map(|entry| {
            (
                type_name(&entry.code),
                entry.code.clone(),
                entry.meaning.clone(),
            )
        }),
    );
    let arms = |value: &dyn Fn(&crate::contract::ErrorEntry) -> String| -> String {
        contract
            .errors
            .iter()
            .map(|entry| format!("Self::{} => {},", type_name(&entry.code), value(entry)))
            .collect()
    };
    let _ = write!(
        text,
        "impl ErrorCode {{
            /// Returns the HTTP status that carries this code.
            pub const fn http_status(self) -> u16 {{ match self {{ {} }} }}
            /// Returns whether the same call may succeed later.
            pub const fn retryable(self) -> bool {{ match self {{ {} }} }}
            /// Returns what the caller can do.
            pub const fn remedy(self) -> &'static str {{ match self {{ {} }} }}
        }}",
        arms(&|entry| entry.http_status.to_string()),
        arms(&|entry| entry.retryable.to_string()),
        arms(&|entry| format!("{:?}", entry.remedy)),
    );
    let prefixes = &contract.settings.prefixes;
    let variant = |prefix: &str| type_name(prefix.trim_end_matches(':'));
    enumeration(
        &mut text,
        "Prefix",
        "The stable beginning of an error message.",
        prefixes.iter().map(|prefix| {
            (
                variant(&prefix.text),
                prefix.text.clone(),
                prefix.meaning.clone(),
            )
        }),
    );
    let codes: String = prefixes
        .iter()
        .map(|prefix| {
            format!(
                "Self::{} => ErrorCode::{},",
                variant(&prefix.text),
                type_name(&prefix.code)
            )
        })
        .collect();
    let remedies: String = prefixes
        .iter()
        .map(|prefix| format!("Self::{} => {:?},", variant(&prefix.text), prefix.remedy))
        .collect();
    let _ = write!(
        text,
        "impl Prefix {{
            /// Returns the code that the prefix belongs to.
            pub const fn code(self) -> ErrorCode {{ match self {{ {codes} }} }}
            /// Returns what the caller can do.
            pub const fn remedy(self) -> &'static str {{ match self {{ {remedies} }} }}
        }}"
    );
    text
}

/// Writes an enum whose members have a spelling on the wire.
pub fn enumeration(
    text: &mut String,
    name: &str,
    doc: &str,
    members: impl Iterator<Item = (String, String, String)>,
) {
    let members: Vec<(String, String, String)> = members.collect();
    let variants: String = members
        .iter()
        .map(|(variant, _, meaning)| format!("/// {meaning}\n{variant},"))
        .collect();
    let all: String = members
        .iter()
        .map(|(variant, _, _)| format!("Self::{variant},"))
        .collect();
    let words: String = members
        .iter()
        .map(|(variant, word, _)| format!("Self::{variant} => {word:?},"))
        .collect();
    let _ = write!(
        text,
        "/// {doc}
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum {name} {{ {variants} }}
        impl {name} {{
            /// Every member, in the order of the schema.
            pub const ALL: [Self; {}] = [{all}];
            /// Returns the spelling on the wire.
            pub const fn as_str(self) -> &'static str {{ match self {{ {words} }} }}
            /// Returns the member of this spelling.
            pub fn find(text: &str) -> Option<Self> {{
                Self::ALL.into_iter().find(|member| member.as_str() == text)
            }}
        }}",
        members.len()
    );
}
