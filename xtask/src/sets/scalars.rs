//! Compiles the keywords of values, numbers and strings.

use super::compile::{Compiler, of_type};
use super::decimal::Decimal;
use super::json::Json;
use super::node::{Keyword, Mark, types};
use super::scope::Dialect;

impl Compiler<'_, '_> {
    pub fn defect(&mut self, key: &str) -> Option<Keyword> {
        self.defects.push(format!("{key} is malformed"));
        Some(Keyword::Opaque(format!("{key} is malformed"), Mark::Here))
    }

    pub fn values(&mut self, schema: &Json, dialect: Dialect, found: &mut Vec<Keyword>) {
        let mask = match schema.get("type") {
            None => None,
            Some(Json::String(name)) => type_mask(name),
            Some(Json::Array(names)) => names.iter().try_fold(0, |mask, name| {
                Some(mask | type_mask(name.as_str().unwrap_or_default())?)
            }),
            Some(_) => Some(0),
        };
        if schema.get("type").is_some() && mask.is_none_or(|mask| mask == 0) {
            found.extend(self.defect("type"));
        }
        let fixed = |value: &Json| mask.is_none_or(|mask| of_type(value, mask));
        let constant = schema.get("const").filter(|_| dialect > Dialect::Four);
        let mut values = match schema.get("enum") {
            None => None,
            Some(Json::Array(values)) => Some(values.clone()),
            Some(_) => {
                found.extend(self.defect("enum"));
                None
            }
        };
        if let Some(constant) = constant {
            let kept = values.is_none_or(|values| values.contains(constant));
            values = Some(if kept {
                vec![constant.clone()]
            } else {
                Vec::new()
            });
        }
        match (values, mask) {
            (Some(mut values), _) => {
                values.retain(fixed);
                values.sort();
                values.dedup();
                found.push(if values.is_empty() {
                    Keyword::Never
                } else {
                    Keyword::Enum(values.into())
                });
            }
            (None, Some(mask)) if mask != 0 => found.push(Keyword::Types(mask)),
            (None, _) => {}
        }
    }

    pub fn numbers(&mut self, schema: &Json, found: &mut Vec<Keyword>) {
        type Bound = fn(Decimal, bool) -> Keyword;
        let bounds: [(&str, &str, Bound); 2] = [
            ("minimum", "exclusiveMinimum", Keyword::Minimum),
            ("maximum", "exclusiveMaximum", Keyword::Maximum),
        ];
        for (key, exclusive, bound) in bounds {
            let strict = schema.get(exclusive);
            match schema.get(key) {
                None => {}
                Some(Json::Number(limit)) => {
                    found.push(bound(limit.clone(), strict == Some(&Json::Bool(true))));
                }
                Some(_) => found.extend(self.defect(key)),
            }
            match strict {
                None | Some(Json::Bool(_)) => {}
                Some(Json::Number(limit)) => found.push(bound(limit.clone(), true)),
                Some(_) => found.extend(self.defect(exclusive)),
            }
        }
        match schema.get("multipleOf") {
            None => {}
            Some(Json::Number(step)) if step.is_positive() => {
                found.push(Keyword::MultipleOf(step.clone()));
            }
            Some(_) => found.extend(self.defect("multipleOf")),
        }
    }

    /// Adds a keyword that counts, unless it counts to `idle`.
    pub fn count(
        &mut self,
        schema: &Json,
        key: &str,
        idle: Option<u64>,
        keyword: fn(u64) -> Keyword,
        found: &mut Vec<Keyword>,
    ) {
        match schema.get(key) {
            None => {}
            Some(Json::Number(number)) => match whole(number) {
                Count::Fits(count) if Some(count) == idle => {}
                Count::Fits(count) => found.push(keyword(count)),
                Count::Large => found.push(too_far(key)),
                Count::Malformed => found.extend(self.defect(key)),
            },
            Some(_) => found.extend(self.defect(key)),
        }
    }

    pub fn strings(&mut self, schema: &Json, found: &mut Vec<Keyword>) {
        self.count(schema, "minLength", Some(0), Keyword::MinLength, found);
        self.count(schema, "maxLength", None, Keyword::MaxLength, found);
        match schema.get("pattern") {
            None => {}
            Some(Json::String(source)) => {
                let pattern = self.arena.add_pattern(source);
                found.push(Keyword::Pattern(pattern));
            }
            Some(_) => found.extend(self.defect("pattern")),
        }
        if let Some(name) = schema.get("format").and_then(Json::as_str)
            && (self.options.formats_assert)(name)
        {
            found.push(Keyword::Format(name.to_owned()));
        }
    }
}

/// What a number is as a count.
pub enum Count {
    Fits(u64),
    Large,
    Malformed,
}

/// A count that is not followed.
pub fn too_far(key: &str) -> Keyword {
    Keyword::Opaque(format!("{key} counts too far"), Mark::Here)
}

/// Reads a count.
pub fn whole(number: &Decimal) -> Count {
    let negative = !number.is_positive() && !number.is_zero();
    if !number.is_integer() || negative {
        return Count::Malformed;
    }
    let small = number.to_i128().and_then(|count| u64::try_from(count).ok());
    small.map_or(Count::Large, Count::Fits)
}

fn type_mask(name: &str) -> Option<u8> {
    Some(match name {
        "null" => types::NULL,
        "boolean" => types::BOOL,
        "integer" => types::INTEGER,
        "number" => types::INTEGER | types::NUMBER,
        "string" => types::STRING,
        "array" => types::ARRAY,
        "object" => types::OBJECT,
        _ => return None,
    })
}
