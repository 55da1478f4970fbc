//! C's `%g`.

/// `value` with so many significant digits, without trailing zeros, with an exponent where C has
/// one: `10` digits of 6 are `10`, 2648141 is `2.64814e+06`.
pub fn general(value: f64, digits: usize) -> String {
    let digits = digits.max(1);
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 {
            "0".to_owned()
        } else {
            value.to_string().to_lowercase()
        };
    }
    // The exponent is the one after rounding.
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let most = i32::try_from(digits).unwrap_or(i32::MAX);
    if exponent < -4 || exponent >= most {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", bare(mantissa), exponent.abs());
    }
    let decimals = usize::try_from(most - 1 - exponent).unwrap_or(0);
    bare(&format!("{value:.decimals$}")).to_owned()
}

fn bare(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn as_c_prints_it() {
        for (value, digits, text) in [
            (100.0, 6, "100"),
            (97_379.8, 6, "97379.8"),
            (2_648_141.0, 6, "2.64814e+06"),
            (999_999.6, 6, "1e+06"),
            (0.000_012_34, 6, "1.234e-05"),
            (0.0, 6, "0"),
            (-0.5, 6, "-0.5"),
            (744_587_264.0, 4, "7.446e+08"),
            (6.15, 6, "6.15"),
        ] {
            assert_eq!(general(value, digits), text);
        }
    }
}
