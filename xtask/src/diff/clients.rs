//! What a change of the contract means for who compiles against a generated
//! client, language by language. Pure.
//!
//! The wire and the source are two promises: a required argument that becomes
//! optional breaks no call on the wire, but in Rust the constructor loses a
//! parameter.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::contract::{Contract, Form, Schema, type_name};
use crate::diff::bump::Bump;

mod rust;

/// The verdict on the package of one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    pub bump: Bump,
    /// What it rests on: only what is as grave as the verdict.
    pub why: Vec<String>,
}

/// The verdicts on all packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clients {
    pub rust: Verdict,
    pub typescript: Verdict,
    pub python: Verdict,
}

impl Clients {
    /// Returns the verdicts with the names of their languages.
    pub fn all(&self) -> [(&'static str, &Verdict); 3] {
        [
            ("rust", &self.rust),
            ("typescript", &self.typescript),
            ("python", &self.python),
        ]
    }
}

/// Judges every package.
pub fn judge(old: &Contract, new: &Contract) -> Result<Clients> {
    let structural = structural(old, new);
    Ok(Clients {
        rust: rust::verdict(old, new)?,
        typescript: structural.clone(),
        python: structural,
    })
}

#[derive(Default)]
struct Findings(Vec<(Bump, String)>);

impl Findings {
    fn add(&mut self, bump: Bump, what: String) {
        self.0.push((bump, what));
    }

    fn verdict(self) -> Verdict {
        let bump = self.0.iter().map(|(bump, _)| *bump).max();
        let bump = bump.unwrap_or_default();
        let why: BTreeSet<String> = self
            .0
            .into_iter()
            .filter(|(found, _)| *found == bump && bump != Bump::None)
            .map(|(_, what)| what)
            .collect();
        Verdict {
            bump,
            why: why.into_iter().collect(),
        }
    }
}

/// Which way a value travels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Sent,
    Read,
}

/// Compares what languages with named arguments and structural types show.
fn structural(old: &Contract, new: &Contract) -> Verdict {
    let mut findings = Findings::default();
    names(&mut findings, "tool", old.tools.keys(), new.tools.keys());
    names(&mut findings, "type", old.shapes.keys(), new.shapes.keys());
    let resources = |contract: &Contract| -> Vec<String> {
        let resources = contract.resources.iter();
        resources.map(|resource| resource.name.clone()).collect()
    };
    names(
        &mut findings,
        "resource",
        resources(old).iter(),
        resources(new).iter(),
    );
    let prompts = |contract: &Contract| -> Vec<String> {
        let prompts = contract.prompts.iter();
        prompts.map(|prompt| prompt.name.clone()).collect()
    };
    names(
        &mut findings,
        "prompt",
        prompts(old).iter(),
        prompts(new).iter(),
    );
    let prefixes = |contract: &Contract| -> Vec<String> {
        let prefixes = contract.settings.prefixes.iter();
        prefixes.map(|prefix| prefix.text.clone()).collect()
    };
    names(
        &mut findings,
        "prefix",
        prefixes(old).iter(),
        prefixes(new).iter(),
    );
    let codes = |contract: &Contract| -> Vec<String> {
        contract
            .errors
            .iter()
            .map(|entry| entry.code.clone())
            .collect()
    };
    if codes(old) != codes(new) {
        findings.add(Bump::Major, "the closed error codes changed".to_owned());
    }
    for before in &old.prompts {
        let Some(after) = new.prompts.iter().find(|prompt| prompt.name == before.name) else {
            continue;
        };
        for argument in &before.arguments {
            let place = format!("prompt {} argument {}", before.name, argument.name);
            match after.arguments.iter().find(|now| now.name == argument.name) {
                None => findings.add(Bump::Major, format!("{place} is gone")),
                Some(now) if now.required && !argument.required => {
                    findings.add(Bump::Major, format!("{place} became required"));
                }
                Some(now) if !now.required && argument.required => {
                    findings.add(Bump::Minor, format!("{place} became optional"));
                }
                Some(_) => {}
            }
        }
        for argument in &after.arguments {
            if before
                .arguments
                .iter()
                .all(|known| known.name != argument.name)
            {
                let bump = if argument.required {
                    Bump::Major
                } else {
                    Bump::Minor
                };
                let place = format!("prompt {} argument {}", before.name, argument.name);
                findings.add(bump, format!("{place} is new"));
            }
        }
    }
    for (name, before) in &old.tools {
        if let Some(after) = new.tools.get(name) {
            for (way, side, left, right) in [
                (Way::Sent, "input", &before.input, &after.input),
                (Way::Read, "output", &before.output, &after.output),
            ] {
                let sides = Sides { old, new, way };
                sides.compare(left, right, &format!("{name} {side}"), &mut findings);
            }
            if before.title != after.title || before.description != after.description {
                findings.add(Bump::Patch, "words only".to_owned());
            }
        }
    }
    findings.verdict()
}

fn names<'a>(
    findings: &mut Findings,
    sort: &str,
    old: impl Iterator<Item = &'a String>,
    new: impl Iterator<Item = &'a String>,
) {
    let (old, new): (BTreeSet<_>, BTreeSet<_>) = (old.collect(), new.collect());
    for name in old.difference(&new) {
        findings.add(Bump::Major, format!("{sort} {name} is gone"));
    }
    for name in new.difference(&old) {
        findings.add(Bump::Minor, format!("{sort} {name} is new"));
    }
}

struct Sides<'a> {
    old: &'a Contract,
    new: &'a Contract,
    way: Way,
}

impl Sides<'_> {
    fn compare(&self, left: &Schema, right: &Schema, place: &str, findings: &mut Findings) {
        let (before, after) = (self.old.resolve(left), self.new.resolve(right));
        let may_be_null = |schema: &Schema, target: &Schema| schema.nullable || target.nullable;
        match (may_be_null(left, before), may_be_null(right, after)) {
            (false, true) => {
                findings.add(self.bump(Way::Sent), format!("{place} may be null"));
            }
            (true, false) => {
                findings.add(self.bump(Way::Read), format!("{place} is never null"));
            }
            _ => {}
        }
        match (&before.form, &after.form) {
            (
                Form::Object {
                    properties: olds, ..
                },
                Form::Object {
                    properties: news, ..
                },
            ) => {
                for property in olds {
                    let place = format!("{place} {}", property.name);
                    let Some(now) = news.iter().find(|now| now.name == property.name) else {
                        findings.add(Bump::Major, format!("{place} is gone"));
                        continue;
                    };
                    match (property.required, now.required) {
                        (false, true) => {
                            findings.add(self.bump(Way::Read), format!("{place} became required"));
                        }
                        (true, false) => {
                            findings.add(self.bump(Way::Sent), format!("{place} became optional"));
                        }
                        _ => {}
                    }
                    self.compare(&property.schema, &now.schema, &place, findings);
                }
                for property in news {
                    if olds.iter().all(|known| known.name != property.name) {
                        let breaks = property.required && self.way == Way::Sent;
                        let bump = if breaks { Bump::Major } else { Bump::Minor };
                        findings.add(bump, format!("{place} {} is new", property.name));
                    }
                }
            }
            (Form::Array { items: olds, .. }, Form::Array { items: news, .. }) => {
                self.compare(olds, news, place, findings);
            }
            (
                Form::Enum {
                    members: olds,
                    open: was_open,
                },
                Form::Enum {
                    members: news,
                    open,
                },
            ) => {
                let lost = olds.iter().any(|member| !news.contains(member));
                let won = news.iter().any(|member| !olds.contains(member));
                // Whoever reads an open enum was told to expect anything.
                let told = *was_open && self.way == Way::Read;
                if lost && !told {
                    findings.add(self.bump(Way::Read), format!("{place} lost a value"));
                }
                if won && !told {
                    findings.add(self.bump(Way::Sent), format!("{place} won a value"));
                }
                if was_open != open {
                    findings.add(Bump::Major, format!("{place} was opened or closed"));
                }
            }
            (Form::Tagged { variants: olds, .. }, Form::Tagged { variants: news, .. }) => {
                if olds != news {
                    findings.add(Bump::Major, format!("{place} has other variants"));
                }
            }
            (before, after) if kind(before) == kind(after) => {}
            (before, after) => {
                let what = format!("{place} was {} and is {}", kind(before), kind(after));
                findings.add(Bump::Major, what);
            }
        }
        if left.description != right.description || before.description != after.description {
            findings.add(Bump::Patch, "words only".to_owned());
        }
    }

    /// Returns minor for a change that is harmless to values of this way, and
    /// major otherwise.
    fn bump(&self, harmless: Way) -> Bump {
        if self.way == harmless {
            Bump::Minor
        } else {
            Bump::Major
        }
    }
}

fn kind(form: &Form) -> String {
    match form {
        Form::Object { .. } => "an object".to_owned(),
        Form::Array { .. } => "an array".to_owned(),
        Form::String { .. } => "a string".to_owned(),
        Form::Enum { .. } => "an enum".to_owned(),
        Form::Integer { .. } => "an integer".to_owned(),
        Form::Number { .. } => "a number".to_owned(),
        Form::Boolean => "a boolean".to_owned(),
        Form::Shape(name) => type_name(name),
        Form::Tagged { .. } => "a union".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::contract::Property;
    use crate::diff::surface::contract::Sources;
    use crate::{load, release};

    fn loaded() -> load::Loaded {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package.parent().expect("it lies in the repository");
        load::load(root).expect("the schema is there")
    }

    fn repository() -> Contract {
        loaded().contract.expect("the contract is whole")
    }

    /// Returns the properties of what `recall` takes, or answers.
    fn of_recall(contract: &mut Contract, way: Way) -> &mut Vec<Property> {
        let tool = contract.tools.get_mut("recall").expect("the tool");
        let schema = match way {
            Way::Sent => &mut tool.input,
            Way::Read => &mut tool.output,
        };
        let Form::Object { properties, .. } = &mut schema.form else {
            panic!("an object");
        };
        properties
    }

    fn field<'a>(contract: &'a mut Contract, way: Way, name: &str) -> &'a mut Property {
        let mut fields = of_recall(contract, way).iter_mut();
        fields.find(|field| field.name == name).expect("the field")
    }

    /// Returns the sources as they would be frozen now.
    fn frozen() -> Sources {
        release::sources(&loaded().sources)
    }

    fn of_release(files: &Sources) -> Contract {
        load::of_release(files).expect("a release can be read")
    }

    fn bumps(old: &Contract, new: &Contract) -> [Bump; 3] {
        let clients = judge(old, new).expect("both generate");
        clients.all().map(|(_, verdict)| verdict.bump)
    }

    #[test]
    fn nothing_changed_is_no_bump() {
        let contract = repository();
        assert_eq!(bumps(&contract, &contract), [Bump::None; 3]);
    }

    #[test]
    fn the_first_minor_of_the_contract_is_a_minor_of_every_client() {
        let contract = repository();
        let mut releases = contract
            .releases
            .iter()
            .map(|release| load::of_release(&release.files).expect("a release can be read"));
        let (first, second) = (releases.next(), releases.next());
        let (first, second) = (first.expect("2.0.0"), second.expect("2.1.0"));
        assert_eq!(bumps(&first, &second), [Bump::Minor; 3]);
        assert_eq!(bumps(&second, &first), [Bump::Major; 3]);
    }

    #[test]
    fn the_languages_differ_where_a_value_need_no_longer_be_there_or_always_is() {
        let old = repository();
        let mut new = old.clone();
        field(&mut new, Way::Sent, "query").required = false;
        assert_eq!(bumps(&old, &new), [Bump::Major, Bump::Minor, Bump::Minor]);
        assert_eq!(bumps(&new, &old), [Bump::Major; 3]);
        let mut new = old.clone();
        field(&mut new, Way::Read, "session").required = true;
        assert_eq!(bumps(&old, &new), [Bump::Major, Bump::Minor, Bump::Minor]);
    }

    /// Parameters in Rust have an order, and a call with two of one type goes on
    /// compiling when it changes.
    #[test]
    fn what_is_required_in_another_order_is_a_major_in_rust_alone() {
        let mut files = frozen();
        // Frozen, it still generates what callers were given.
        let [rust, ..] = bumps(&of_release(&files), &repository());
        assert!(rust <= Bump::Patch, "{rust:?}");
        let old = of_release(&files);
        let link = files.get_mut("tools/link.json").expect("the tool");
        link["inputSchema"]["required"] = json!(["dst", "src", "type"]);
        let new = of_release(&files);
        assert_eq!(bumps(&old, &new), [Bump::Major, Bump::None, Bump::None]);
    }

    /// A frozen contract says of keys only which there are.
    #[test]
    fn the_order_of_keys_says_nothing() {
        let sources = frozen();
        let mut turned = sources.clone();
        let link = turned.get_mut("tools/link.json").expect("the tool");
        let fields = link["inputSchema"]["properties"].as_object_mut();
        let fields = fields.expect("an object");
        *fields = std::mem::take(fields).into_iter().rev().collect();
        assert_eq!(
            bumps(&of_release(&sources), &of_release(&turned)),
            [Bump::None; 3]
        );
    }

    #[test]
    fn fields_come_without_harm_and_do_not_go_so() {
        let old = repository();
        for way in [Way::Sent, Way::Read] {
            let mut new = old.clone();
            let fields = of_recall(&mut new, way);
            fields.retain(|field| field.required);
            assert!(fields.len() < of_recall(&mut old.clone(), way).len());
            assert_eq!(bumps(&new, &old), [Bump::Minor; 3]);
            assert_eq!(bumps(&old, &new), [Bump::Major; 3]);
        }
    }

    #[test]
    fn codes_are_closed_and_prefixes_are_not() {
        let old = repository();
        let mut new = old.clone();
        new.errors.pop();
        assert_eq!(bumps(&new, &old), [Bump::Major; 3]);
        let mut new = old.clone();
        new.settings.prefixes.pop();
        assert_eq!(
            judge(&new, &old).expect("both generate").rust.bump,
            Bump::Minor
        );
        assert_eq!(
            judge(&old, &new).expect("both generate").rust.bump,
            Bump::Major
        );
    }

    #[test]
    fn words_are_a_patch() {
        let old = repository();
        let mut new = old.clone();
        let tool = new.tools.get_mut("recall").expect("the tool");
        tool.description.push_str(" Ask again.");
        assert_eq!(bumps(&old, &new), [Bump::Patch; 3]);
    }
}
