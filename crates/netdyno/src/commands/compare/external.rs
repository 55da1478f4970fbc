//! The number in what an external command prints.

use serde_json::Value;

use crate::cli::Pick;

/// The number, if it is there.
pub(super) fn number(pick: &Pick, output: &str) -> Option<f64> {
    match pick {
        Pick::JsonPath(path) => by_path(path, output),
        Pick::Regex(regex) => {
            let found = regex_lite::Regex::new(regex).ok()?.captures(output)?;
            let group = found.get(1).or_else(|| found.get(0))?;
            group.as_str().trim().parse().ok()
        }
    }
    .filter(|number: &f64| number.is_finite())
}

fn by_path(path: &str, output: &str) -> Option<f64> {
    // Some programs say something before their document.
    let start = output.find(['{', '['])?;
    let mut documents = serde_json::Deserializer::from_str(&output[start..]).into_iter::<Value>();
    let document = documents.next()?.ok()?;
    let mut parts = path.split(['.', '[', ']']).filter(|part| !part.is_empty());
    let found = parts.try_fold(&document, |value, part| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        other => other.get(part),
    })?;
    found
        .as_f64()
        .or_else(|| found.as_str()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_json_path() {
        let pick = |path: &str| Pick::JsonPath(path.to_owned());
        let output = r#"{"end":{"streams":[{"rate":1.5},{"rate":"2.5"}],"sum":{"bits":9.4e8}}}"#;
        assert_eq!(number(&pick("end.sum.bits"), output), Some(9.4e8));
        assert_eq!(number(&pick("end.streams[0].rate"), output), Some(1.5));
        assert_eq!(number(&pick("end.streams[1].rate"), output), Some(2.5));
        assert_eq!(number(&pick("end.streams[2].rate"), output), None);
        assert_eq!(number(&pick("end.sum"), output), None);
        assert_eq!(number(&pick("a"), "no document"), None);
        assert_eq!(number(&pick("a"), "warning\n{\"a\": 3} tail"), Some(3.0));
    }

    #[test]
    fn by_regular_expression() {
        let pick = |regex: &str| Pick::Regex(regex.to_owned());
        let output = "131072  16384  16384    1.00    34567.89\n";
        assert_eq!(number(&pick(r"(\S+)\s*$"), output), Some(34_567.89));
        assert_eq!(number(&pick(r"1\.00"), output), Some(1.0));
        assert_eq!(number(&pick(r"(rate) x"), output), None);
        assert_eq!(number(&pick(r"(\d+)  16384"), output), Some(131_072.0));
    }
}
