//! Reads the values of keywords: texts, flags, bounds.

use serde_json::{Map, Value};

use crate::dialect::Reader;

impl Reader<'_> {
    /// Returns a text and refuses anything else.
    pub(super) fn string<'m>(
        &mut self,
        pointer: &str,
        map: &'m Map<String, Value>,
        keyword: &str,
    ) -> Option<&'m str> {
        let value = map.get(keyword)?;
        if !value.is_string() {
            let what = format!("{keyword} {value}");
            self.refuse(&format!("{pointer}/{keyword}"), &what, "write a string");
        }
        value.as_str()
    }

    /// Returns a truth value, false when absent, and refuses anything else.
    pub(super) fn flag(&mut self, pointer: &str, map: &Map<String, Value>, keyword: &str) -> bool {
        let Some(value) = map.get(keyword) else {
            return false;
        };
        if !value.is_boolean() {
            let what = format!("{keyword} {value}");
            self.refuse(
                &format!("{pointer}/{keyword}"),
                &what,
                "write true or false",
            );
        }
        value == &Value::Bool(true)
    }

    /// Returns two bounds and refuses them when no value lies between.
    pub(super) fn range<T: PartialOrd>(
        &mut self,
        pointer: &str,
        map: &Map<String, Value>,
        [low, high]: [&str; 2],
        convert: impl Fn(&Value) -> Option<T>,
    ) -> (Option<T>, Option<T>) {
        let lower = self.bound(pointer, map, low, &convert);
        let upper = self.bound(pointer, map, high, &convert);
        if let (Some(lower), Some(upper)) = (&lower, &upper)
            && lower > upper
        {
            let what = format!("{low} above {high}");
            self.refuse(
                &format!("{pointer}/{low}"),
                &what,
                "lower one or raise the other",
            );
        }
        (lower, upper)
    }

    /// Returns a bound and refuses one of another type.
    pub(super) fn bound<T>(
        &mut self,
        pointer: &str,
        map: &Map<String, Value>,
        keyword: &str,
        convert: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = map.get(keyword)?;
        let bound = convert(value);
        if bound.is_none() {
            let what = format!("{keyword} {value}");
            self.refuse(
                &format!("{pointer}/{keyword}"),
                &what,
                "write a plain number",
            );
        }
        bound
    }
}
