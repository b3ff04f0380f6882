//! What a change of the contract means for who compiles against a generated
//! client, language by language. Pure.
//!
//! The wire and the source are two promises: a required argument that becomes
//! optional breaks no call on the wire, but in Rust the constructor loses a
//! parameter.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use quote::ToTokens;
use syn::{Fields, ImplItem, Item, Visibility};

use crate::contract::{Contract, Form, Schema, type_name};
use crate::diff::bump::Bump;
use crate::emit;

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
        rust: rust(old, new)?,
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

/// Every public item of the Rust client, with all of it that callers see, and
/// whether more beside it breaks nobody.
type Items = BTreeMap<String, (String, bool)>;

/// Compares the public items of what is generated from both sides.
fn rust(old: &Contract, new: &Contract) -> Result<Verdict> {
    let (before, after) = (items(old)?, items(new)?);
    let mut findings = Findings::default();
    for (name, (shape, _)) in &before {
        match after.get(name) {
            None => findings.add(Bump::Major, format!("{name} is gone")),
            Some((now, _)) if now != shape => {
                findings.add(Bump::Major, format!("{name} was {shape} and is {now}"));
            }
            Some(_) => {}
        }
    }
    for (name, (_, may_come)) in &after {
        if !before.contains_key(name) {
            let owner = name.rsplit_once("::").map(|(owner, _)| owner);
            let is_known = owner.is_some_and(|owner| before.contains_key(owner));
            let bump = if *may_come || !is_known {
                Bump::Minor
            } else {
                Bump::Major
            };
            findings.add(bump, format!("{name} is new"));
        }
    }
    if findings.0.is_empty() && words(old)? != words(new)? {
        findings.add(Bump::Patch, "words only".to_owned());
    }
    Ok(findings.verdict())
}

/// Returns what is generated, without the lines that name the version.
fn words(contract: &Contract) -> Result<Vec<String>> {
    let files = emit::rust_client(contract)?;
    let files = files.into_iter().filter(|(name, _)| name != "contract.rs");
    Ok(files
        .map(|(_, content)| content.lines().skip(2).collect::<Vec<_>>().join("\n"))
        .collect())
}

fn items(contract: &Contract) -> Result<Items> {
    let mut items = Items::new();
    for (file, content) in emit::rust_client(contract)? {
        for item in syn::parse_file(&content)?.items {
            add(&mut items, file.trim_end_matches(".rs"), &item);
        }
    }
    Ok(items)
}

fn add(items: &mut Items, module: &str, item: &Item) {
    let tokens = |part: &dyn ToTokens| part.to_token_stream().to_string();
    let may_grow = |attributes: &[syn::Attribute]| {
        let mut attributes = attributes.iter();
        attributes.any(|attribute| attribute.path().is_ident("non_exhaustive"))
    };
    match item {
        Item::Struct(item) => {
            let (name, grows) = (item.ident.to_string(), may_grow(&item.attrs));
            for field in &item.fields {
                if let (Visibility::Public(_), Some(ident)) = (&field.vis, &field.ident) {
                    items.insert(format!("{name}::{ident}"), (tokens(&field.ty), grows));
                }
            }
            items.insert(name, (format!("struct, may grow: {grows}"), true));
        }
        Item::Enum(item) => {
            let (name, grows) = (item.ident.to_string(), may_grow(&item.attrs));
            for variant in &item.variants {
                let fields = match &variant.fields {
                    Fields::Unit => "a name alone".to_owned(),
                    fields => tokens(fields),
                };
                items.insert(format!("{name}::{}", variant.ident), (fields, grows));
            }
            items.insert(name, (format!("enum, may grow: {grows}"), true));
        }
        Item::Const(item) if module != "additions" => {
            items.insert(item.ident.to_string(), (tokens(&item.ty), true));
        }
        Item::Impl(item) => {
            let owner = tokens(&item.self_ty);
            if let Some((_, path, _)) = &item.trait_ {
                items.insert(format!("{owner}: {}", tokens(path)), (String::new(), true));
                return;
            }
            for member in &item.items {
                match member {
                    ImplItem::Fn(function) => {
                        let name = format!("{owner}::{}()", function.sig.ident);
                        items.insert(name, (tokens(&function.sig), true));
                    }
                    ImplItem::Const(constant) => {
                        let name = format!("{owner}::{}", constant.ident);
                        items.insert(name, (tokens(&constant.ty), true));
                    }
                    _ => {}
                }
            }
        }
        _ => {}
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

    use super::*;
    use crate::contract::Property;
    use crate::load;

    fn repository() -> Contract {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package.parent().expect("it lies in the repository");
        let loaded = load::load(root).expect("the schema is there");
        loaded.contract.expect("the contract is whole")
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
