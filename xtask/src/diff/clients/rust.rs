//! The Rust client of both sides, item by item: what is generated is read back
//! as Rust, and whatever callers can name is compared.

use std::collections::BTreeMap;

use anyhow::Result;
use quote::ToTokens;
use syn::{Fields, ImplItem, Item, Visibility};

use super::{Findings, Verdict};
use crate::contract::Contract;
use crate::diff::bump::Bump;
use crate::emit;

/// Every public item of the Rust client, with all of it that callers see, and
/// whether more beside it breaks nobody.
type Items = BTreeMap<String, (String, bool)>;

/// Compares the public items of what is generated from both sides.
pub fn verdict(old: &Contract, new: &Contract) -> Result<Verdict> {
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
