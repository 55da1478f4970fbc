//! Two values in one word.

/// `x` is both, `x,` the first only, `,y` the second only, `x,y` each.
pub(super) fn mirrored(text: &str) -> (Option<&str>, Option<&str>) {
    match text.split_once(',') {
        None => (given(text), given(text)),
        Some((first, second)) => (given(first), given(second)),
    }
}

/// `x` is the first only, `,y` the second only, `x,y` each.
pub(super) fn explicit(text: &str) -> (Option<&str>, Option<&str>) {
    match text.split_once(',') {
        None => (given(text), None),
        Some((first, second)) => (given(first), given(second)),
    }
}

fn given(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_for_both_or_for_the_first() {
        assert_eq!(mirrored("5"), (Some("5"), Some("5")));
        assert_eq!(explicit("5"), (Some("5"), None));
        for both in [mirrored, explicit] {
            assert_eq!(both("5,"), (Some("5"), None));
            assert_eq!(both(",6"), (None, Some("6")));
            assert_eq!(both("5,6"), (Some("5"), Some("6")));
            assert_eq!(both(","), (None, None));
        }
    }
}
