//! The packages, each over both series of its official client.

use serde_json::{Value, json};

use super::between::{Between, Edit};
use super::{python, typescript};
use crate::harness::{Site, fresh};
use crate::official_clients::told;

/// A package over one series of an official client, and the era it speaks.
#[derive(Clone, Copy, Debug)]
pub enum Kit {
    TypeScript(&'static str, &'static str),
    Python(&'static str, &'static str),
}

/// All of them, in the eras that they can speak.
pub const KITS: [Kit; 6] = [
    Kit::TypeScript("1.x", "2025"),
    Kit::TypeScript("2.x", "2025"),
    Kit::TypeScript("2.x", "2026"),
    Kit::Python("1", "2025"),
    Kit::Python("2", "2025"),
    Kit::Python("2", "2026"),
];

impl Kit {
    /// Makes calls of an endpoint; returns what a caller sees.
    pub fn calls(self, url: &str, token: &str, options: &Value, calls: &Value) -> Value {
        let given = json!({ "url": url, "token": token, "options": options, "calls": calls });
        self.runs("calls", given)
    }

    /// Opens each of these endpoints in one process; returns how each refused.
    pub fn refusals(self, urls: &[String], token: &str, options: &Value) -> Vec<Value> {
        let given = json!({ "urls": urls, "token": token, "options": options });
        let told = self.runs("calls", given);
        told.as_array().expect("a list").clone()
    }

    /// Runs a script that both languages have; returns what it tells.
    pub fn runs(self, script: &str, mut given: Value) -> Value {
        match self {
            Self::TypeScript(sdk, protocol) => {
                given["sdk"] = json!(sdk);
                given["protocol"] = json!(protocol);
                told(typescript::script(&format!("{script}.mjs")), &given)
            }
            Self::Python(series, protocol) => {
                given["protocol"] = json!(protocol);
                told(python::script(series, &format!("{script}.py")), &given)
            }
        }
    }

    /// The same of a server behind one that changes its answers.
    pub fn calls_between(self, edit: Edit, options: &Value, calls: &Value) -> (Value, usize) {
        let data = fresh();
        let site = Site::start(data.path());
        let between = Between::start(site.address(), edit);
        let told = self.calls(&between.url(), site.token(), options, calls);
        (told, between.n_calls())
    }
}
