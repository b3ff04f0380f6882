//! Types and facts of the Rust client.
//!
//! Its types are those of the contract, but may grow: every struct and enum is
//! `#[non_exhaustive]`, and inputs are made by `new` and setters, so that a
//! minor version of the contract is a minor version of the package.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use syn::{Fields, Item, ItemStruct, parse_quote};

use crate::additions::{Addition, Place};
use crate::contract::{Contract, Form, Property, Schema};
use crate::emit::rust::{errors, types};
use crate::places::references;

/// Returns the source of `types.rs`.
pub fn types(contract: &Contract) -> Result<String> {
    let mut contract = contract.clone();
    let reached = reached(&contract);
    contract.shapes.retain(|name, _| reached.contains(name));
    let inputs = contract.tools.values_mut().map(|tool| &mut tool.input);
    contract.shapes.values_mut().chain(inputs).for_each(ranked);
    let mut file = syn::parse_file(&types::source(&contract)?).context("types are Rust")?;
    file.attrs
        .retain(|attribute| !attribute.path().is_ident("doc"));
    file.attrs.insert(
        0,
        parse_quote!(#![doc = " What goes to the server and what comes from it."]),
    );
    let mut made = Vec::new();
    for item in &mut file.items {
        match item {
            Item::Struct(item) => {
                grow(&mut item.attrs);
                if is_input(item) {
                    made.push(constructors(item));
                }
            }
            Item::Enum(item) => {
                grow(&mut item.attrs);
                for variant in &mut item.variants {
                    if !matches!(variant.fields, Fields::Unit) {
                        variant.attrs.push(parse_quote!(#[non_exhaustive]));
                    }
                }
            }
            _ => {}
        }
    }
    file.items.extend(made);
    Ok(prettyplease::unparse(&file))
}

/// Puts the required properties in the order of `required`: parameters of a
/// constructor have one, and what a release froze generates the same ones.
fn ranked(schema: &mut Schema) {
    match &mut schema.form {
        Form::Object { properties, .. } => {
            let mut first: Vec<Property> = properties.clone();
            first.retain(|property| property.required);
            first.sort_by_key(|property| property.rank);
            let places = properties.iter_mut().filter(|property| property.required);
            for (place, property) in places.zip(first) {
                *place = property;
            }
            for property in properties {
                ranked(&mut property.schema);
            }
        }
        Form::Array { items, .. } => ranked(items),
        Form::Tagged { variants, .. } => variants.iter_mut().for_each(ranked),
        _ => {}
    }
}

/// Returns the shapes that tools and resources lead to.
fn reached(contract: &Contract) -> BTreeSet<String> {
    let mut next: Vec<String> = contract
        .tools
        .values()
        .flat_map(|tool| [&tool.input, &tool.output])
        .flat_map(|schema| references(schema, ""))
        .map(|(_, name)| name.to_owned())
        .chain(
            contract
                .resources
                .iter()
                .map(|resource| resource.shape.clone()),
        )
        .collect();
    let mut reached = BTreeSet::new();
    while let Some(name) = next.pop() {
        if let Some(shape) = contract.shapes.get(&name)
            && reached.insert(name)
        {
            let below = references(shape, "");
            next.extend(below.into_iter().map(|(_, name)| name.to_owned()));
        }
    }
    reached
}

/// Lets a type grow; tests of the contract's own types are none of the client.
fn grow(attributes: &mut Vec<syn::Attribute>) {
    attributes.retain(|attribute| !attribute.path().is_ident("cfg_attr"));
    attributes.push(parse_quote!(#[non_exhaustive]));
}

/// Only what is sent refuses what it does not know.
fn is_input(item: &ItemStruct) -> bool {
    item.attrs.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return false;
        };
        list.path.is_ident("serde") && list.tokens.to_string().contains("deny_unknown_fields")
    })
}

fn constructors(item: &ItemStruct) -> Item {
    let name = &item.ident;
    let mut parameters: Vec<syn::FnArg> = Vec::new();
    let mut values: Vec<syn::FieldValue> = Vec::new();
    let mut setters: Vec<syn::ImplItem> = Vec::new();
    for field in &item.fields {
        let Some(ident) = &field.ident else { continue };
        let attributes: Vec<&syn::Attribute> = field
            .attrs
            .iter()
            .filter(|attribute| !attribute.path().is_ident("serde"))
            .collect();
        match inner(&field.ty, "Option") {
            None => {
                let (taken, value) = taken(&field.ty, ident);
                parameters.push(parse_quote!(#ident: #taken));
                // A field that is taken as it is needs its name once.
                let is_plain = matches!(value, syn::Expr::Path(_));
                values.push(if is_plain {
                    parse_quote!(#ident)
                } else {
                    parse_quote!(#ident: #value)
                });
            }
            Some(ty) => {
                let (taken, value) = taken(ty, ident);
                values.push(parse_quote!(#ident: None));
                setters.push(parse_quote! {
                    #(#attributes)*
                    #[must_use]
                    pub fn #ident(mut self, #ident: #taken) -> Self {
                        self.#ident = Some(#value);
                        self
                    }
                });
            }
        }
    }
    // What is announced to go is still filled in.
    let quiet: Option<syn::Attribute> = item
        .fields
        .iter()
        .flat_map(|field| &field.attrs)
        .any(|attribute| attribute.path().is_ident("deprecated"))
        .then(|| parse_quote!(#[expect(deprecated, reason = "a deprecated field still works")]));
    parse_quote! {
        #quiet
        impl #name {
            #[doc = " Returns it with what is required; the rest is left out."]
            pub fn new(#(#parameters),*) -> Self {
                Self { #(#values),* }
            }
            #(#setters)*
        }
    }
}

/// Returns what a caller passes for a field, and how the field is made of it.
fn taken(ty: &syn::Type, ident: &syn::Ident) -> (syn::Type, syn::Expr) {
    if is_text(ty) {
        return (
            parse_quote!(impl Into<::std::string::String>),
            parse_quote!(#ident.into()),
        );
    }
    match inner(ty, "Vec") {
        Some(items) if is_text(items) => (
            parse_quote!(impl IntoIterator<Item = impl Into<::std::string::String>>),
            parse_quote!(#ident.into_iter().map(Into::into).collect()),
        ),
        Some(items) => (
            parse_quote!(impl IntoIterator<Item = #items>),
            parse_quote!(#ident.into_iter().collect()),
        ),
        None => (ty.clone(), parse_quote!(#ident)),
    }
}

fn last(ty: &syn::Type) -> Option<&syn::PathSegment> {
    match ty {
        syn::Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

fn is_text(ty: &syn::Type) -> bool {
    last(ty).is_some_and(|segment| segment.ident == "String")
}

/// Returns the `T` of a `Wrapper<T>`.
fn inner<'a>(ty: &'a syn::Type, wrapper: &str) -> Option<&'a syn::Type> {
    let segment = last(ty).filter(|segment| segment.ident == wrapper)?;
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    match arguments.args.first() {
        Some(syn::GenericArgument::Type(ty)) => Some(ty),
        _ => None,
    }
}

/// Returns the source of `errors.rs`. The codes are closed, so a caller may
/// match each of them; a minor version may bring a prefix.
pub fn errors(contract: &Contract) -> Result<String> {
    let mut file = syn::parse_file(&errors::source(contract)).context("errors are Rust")?;
    for item in &mut file.items {
        if let Item::Enum(item) = item
            && item.ident == "Prefix"
        {
            item.attrs.push(parse_quote!(#[non_exhaustive]));
        }
        // How many there are is no promise where there may be more.
        if let Item::Impl(item) = item
            && matches!(&*item.self_ty, syn::Type::Path(path) if path.path.is_ident("Prefix"))
        {
            for member in &mut item.items {
                if let syn::ImplItem::Const(constant) = member {
                    let value = &constant.expr;
                    let slice: syn::ImplItemConst = parse_quote! {
                        pub const ALL: &'static [Self] = &#value;
                    };
                    constant.ty = slice.ty;
                    constant.expr = slice.expr;
                }
                if let syn::ImplItem::Fn(function) = member
                    && function.sig.ident == "find"
                {
                    function.block = parse_quote!({
                        Self::ALL
                            .iter()
                            .copied()
                            .find(|member| member.as_str() == text)
                    });
                }
            }
        }
    }
    Ok(prettyplease::unparse(&file))
}

/// Returns the source of `contract.rs`.
pub fn constants(contract: &Contract) -> String {
    let settings = &contract.settings;
    format!(
        "//! Facts of the contract that are no types.
        /// Version of the contract that this package was made from.
        pub const CONTRACT_VERSION: &str = {:?};
        /// Slot of `capabilities.experimental` in which a server announces its version.
        pub const CONTRACT_CAPABILITY: &str = {:?};
        /// HTTP header in which a server announces its version.
        pub const CONTRACT_VERSION_HEADER: &str = {:?};",
        settings.version, settings.capability, settings.version_header
    )
}

/// Returns the source of `additions.rs`.
pub fn additions(contract: &Contract) -> String {
    let mut text = String::from(
        "//! What came after the first release of the contract.
        use crate::{Addition, Place};
        /// Every addition, the oldest first.
        pub const ADDITIONS: &[Addition] = &[",
    );
    for addition in crate::additions::additions(contract) {
        let place = match addition.place {
            Place::Tool => "Tool",
            Place::Resource => "Resource",
            Place::Prompt => "Prompt",
            Place::Input => "Input",
            Place::Output => "Output",
        };
        let absent = absent(contract, &addition).map(|value| value.to_string());
        let _ = write!(
            text,
            "Addition {{ since: {:?}, place: Place::{place}, name: {:?}, field: {:?}, absent: {absent:?} }},",
            addition.since, addition.name, addition.field
        );
    }
    text.push_str("];");
    text
}

/// Returns what a client reads in place of a required field that an older
/// server does not send; absent where the field is optional or has no value
/// that says nothing.
fn absent(contract: &Contract, addition: &Addition) -> Option<Value> {
    let mut schema = match addition.place {
        Place::Output => &contract.tools.get(&addition.name)?.output,
        Place::Resource if !addition.field.is_empty() => {
            let mut resources = contract.resources.iter();
            let resource = resources.find(|resource| resource.name == addition.name)?;
            contract.shapes.get(&resource.shape)?
        }
        Place::Resource | Place::Tool | Place::Prompt | Place::Input => return None,
    };
    let mut is_required = false;
    for step in addition.field.split('.') {
        let name = step.trim_end_matches("[]");
        let Form::Object { properties, .. } = &contract.resolve(schema).form else {
            return None;
        };
        let property = properties.iter().find(|property| property.name == name)?;
        is_required = property.required;
        schema = &property.schema;
        for _ in 0..step.matches("[]").count() {
            let Form::Array { items, .. } = &contract.resolve(schema).form else {
                return None;
            };
            schema = items;
        }
    }
    is_required.then(|| empty(contract, schema)).flatten()
}

fn empty(contract: &Contract, schema: &Schema) -> Option<Value> {
    let schema = if schema.nullable {
        return Some(Value::Null);
    } else {
        contract.resolve(schema)
    };
    Some(match &schema.form {
        _ if schema.nullable => Value::Null,
        Form::Object { properties, .. } => {
            let required = properties.iter().filter(|property| property.required);
            let fields = required
                .map(|property| Some((property.name.clone(), empty(contract, &property.schema)?)));
            Value::Object(fields.collect::<Option<Map<_, _>>>()?)
        }
        Form::Array { .. } => json!([]),
        Form::String { .. } | Form::Enum { open: true, .. } => json!(""),
        Form::Integer { .. } => json!(0),
        Form::Number { .. } => json!(0.0),
        Form::Boolean => json!(false),
        // No member of these says nothing.
        Form::Enum { open: false, .. } | Form::Tagged { .. } | Form::Shape(_) => return None,
    })
}
