//! JSON as iperf3's versions write and read it.

use std::fmt::Write;

use serde_json::Value;

/// An object that is being written, its keys in the order in which they are added.
#[derive(Debug, Default)]
pub(super) struct Object(String);

impl Object {
    /// A flag. All versions take its presence for "on", whatever its value: one that is off is
    /// never written.
    pub fn flag(&mut self, key: &str, on: bool) {
        if on {
            self.raw(key, "true");
        }
    }

    /// A flag that is a number.
    pub fn one(&mut self, key: &str, on: bool) {
        if on {
            self.raw(key, "1");
        }
    }

    pub fn integer(&mut self, key: &str, value: impl Into<i128>) {
        self.raw(key, &value.into().to_string());
    }

    /// A number that is not finite has no place in JSON: null.
    pub fn number(&mut self, key: &str, value: f64) {
        self.raw(key, &Value::from(value).to_string());
    }

    pub fn text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.raw(key, &Value::from(value).to_string());
        }
    }

    /// A value that is JSON already.
    pub fn raw(&mut self, key: &str, value: &str) {
        let before = if self.0.is_empty() { '{' } else { ',' };
        // Writing to a string does not fail.
        let _ = write!(self.0, "{before}\"{key}\":{value}");
    }

    pub fn close(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}

/// Reads a text. 3.1 writes `nan` and `inf` where JSON has no word: they are null here.
pub(super) fn read(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    serde_json::from_str(text)
        .or_else(|error| serde_json::from_str(&without_bare_words(text)).map_err(|_| error))
        .map_err(|error| error.to_string())
}

fn without_bare_words(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if !quoted
            && let Some(word) = ["-nan", "nan", "-inf", "inf"]
                .into_iter()
                .find(|word| rest.starts_with(word))
        {
            clean.push_str("null");
            rest = &rest[word.len()..];
            continue;
        }
        match letter {
            '"' if !escaped => quoted = !quoted,
            _ => (),
        }
        escaped = quoted && letter == '\\' && !escaped;
        clean.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    clean
}

/// The integer of a key; none where it is not there or of another type. 3.12 and 3.13 write -1
/// as 18446744073709551615; versions before them write integers from 10^15 on as `1e+15`.
pub(super) fn integer(object: &Value, key: &str) -> Option<i64> {
    let number = object.get(key)?.as_number()?;
    number
        .as_i64()
        .or_else(|| number.as_u64().map(u64::cast_signed))
        // A cast saturates, and the number is finite.
        .or_else(|| number.as_f64().map(|float| float as i64))
}

/// The number of a key; none where it is not there or not a number.
pub(super) fn number(object: &Value, key: &str) -> Option<f64> {
    object.get(key)?.as_f64()
}

/// The text of a key, without what a terminal would obey.
pub(super) fn text(object: &Value, key: &str) -> Option<String> {
    let text = object.get(key)?.as_str()?;
    Some(text.chars().filter(|letter| !letter.is_control()).collect())
}

/// The lines of a key, without what a terminal would obey but ends of lines and tabs.
pub(super) fn lines(object: &Value, key: &str) -> Option<String> {
    let text = object.get(key)?.as_str()?;
    let harmless = |letter: &char| matches!(letter, '\n' | '\t') || !letter.is_control();
    Some(text.chars().filter(harmless).collect())
}

/// Whether a flag is there, whatever its value.
pub(super) fn flag(object: &Value, key: &str) -> bool {
    object.get(key).is_some_and(Value::is_boolean)
}

/// Whether a flag that is a number is there, whatever its value.
pub(super) fn one(object: &Value, key: &str) -> bool {
    object.get(key).is_some_and(Value::is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_versions_are_read() {
        let value = read(
            br#"{"a":-1,"b":18446744073709551615,"c":1e+15,"d":4.9e-05,"e":"1","f":null,"g":2.9}"#,
        )
        .unwrap();
        let integers = ["a", "b", "c", "e", "f", "g", "h"].map(|key| integer(&value, key));
        assert_eq!(
            integers,
            [
                Some(-1),
                Some(-1),
                Some(1_000_000_000_000_000),
                None,
                None,
                Some(2),
                None
            ]
        );
        assert_eq!(number(&value, "d"), Some(4.9e-5));
    }

    #[test]
    fn bare_words_are_null_and_texts_keep_theirs() {
        let value = read(br#"{"j":nan,"k":-nan,"t":"a \" nan inf","i":-inf}"#).unwrap();
        assert_eq!(value["j"], Value::Null);
        assert_eq!(value["i"], Value::Null);
        assert_eq!(text(&value, "t").as_deref(), Some("a \" nan inf"));
        assert!(read(b"{\"j\":nam}").is_err());
        assert!(read(b"\xff").is_err());
    }

    #[test]
    fn an_object_is_json_in_order() {
        let mut object = Object::default();
        object.flag("z", true);
        object.flag("off", false);
        object.integer("a", -1);
        object.number("n", f64::NAN);
        object.text("t", Some("\"quoted\"\n"));
        let text = object.close();
        assert_eq!(text, r#"{"z":true,"a":-1,"n":null,"t":"\"quoted\"\n"}"#);
        assert_eq!(Object::default().close(), "{}");
    }
}
