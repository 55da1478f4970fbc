use super::*;

fn levels(information: &[f64], spent: &[f64]) -> Vec<f64> {
    nominal_levels(information, spent)
}

#[test]
fn one_look_is_the_plain_test() {
    let all = levels(&[1.0], &[0.05]);
    assert!((all[0] - 0.05).abs() < 1e-9, "{all:?}");
}

#[test]
fn published_bounds() {
    // Pocock's constant for five equally spaced looks at 5 % is z = 2.413 (Jennison and Turnbull,
    // Group Sequential Methods, table 2.1), so spending what it spends must give it back. The
    // cumulative shares are those of the same constant.
    let z = 2.413;
    let nominal = 2.0 * normal_share(-z);
    let looks = [0.2, 0.4, 0.6, 0.8, 1.0];
    // Spend exactly what five looks at that level spend: found by running the integration.
    let spent = spent_by(&looks, nominal);
    assert!((spent[4] - 0.05).abs() < 2e-4, "{spent:?}");
    for level in levels(&looks, &spent) {
        assert!((level - nominal).abs() < 1e-4, "{level} {nominal}");
    }
    // O'Brien and Fleming's for three looks is z = 2.004 * sqrt(3 / k) (table 2.3).
    let information = [1.0 / 3.0, 2.0 / 3.0, 1.0];
    let bounds = information.map(|t: f64| 2.0 * normal_share(-2.004 / t.sqrt()));
    let first = levels(&information, &[bounds[0], bounds[0], 0.05]);
    assert!((first[0] - bounds[0]).abs() < 1e-9);
}

/// Error spent by looking each time at the level `nominal`, by simulation-free bisection.
fn spent_by(information: &[f64], nominal: f64) -> Vec<f64> {
    let mut spent = Vec::new();
    for look in 0..information.len() {
        let (mut low, mut high) = (0.0, 0.06);
        for _ in 0..18 {
            let middle = f64::midpoint(low, high);
            let trial: Vec<f64> = spent.iter().copied().chain([middle]).collect();
            if levels(&information[..=look], &trial)[look] < nominal {
                low = middle;
            } else {
                high = middle;
            }
        }
        spent.push(high);
    }
    spent
}

#[test]
fn nothing_spent_is_nothing_claimed() {
    let all = levels(&[0.5, 1.0], &[0.0, 0.05]);
    assert!(all[0] < 1e-12 && (all[1] - 0.05).abs() < 1e-6, "{all:?}");
}
