//! Expected p values were computed with SciPy 1.17: the larger of `ttest_1samp(x, low,
//! alternative="greater")` and `ttest_1samp(x, high, alternative="less")`.

use super::*;

const D: [f64; 14] = [
    0.021, -0.004, 0.013, 0.035, 0.008, 0.017, -0.011, 0.026, 0.019, 0.030, 0.002, 0.015, 0.041,
    -0.002,
];

#[test]
fn two_one_sided_tests() {
    let wide = tost(&D, &Interval::around(0.0, 0.03)).unwrap();
    assert!((wide - 0.001_390_414_641_147).abs() < 1e-9, "{wide}");
    let narrow = tost(&D, &Interval::around(0.0, 0.01)).unwrap();
    assert!((narrow - 0.879_069_364_566_442_4).abs() < 1e-9, "{narrow}");
    assert_eq!(tost(&[0.0; 3], &Interval::around(0.0, 0.01)), Some(0.0));
    assert_eq!(tost(&[1.0; 3], &Interval::around(0.0, 0.01)), Some(1.0));
}

#[test]
fn verdicts() {
    let margin = Interval::around(0.0, 0.03);
    let side = |low, high| Side::of(&Interval { low, high }, &margin);
    assert_eq!(side(0.01, 0.06), Side::Above);
    assert_eq!(side(-0.06, -0.01), Side::Below);
    assert_eq!(side(-0.02, 0.02), Side::Equivalent);
    // Told from zero, yet of no account.
    assert_eq!(side(0.01, 0.02), Side::Equivalent);
    assert_eq!(side(-0.02, 0.04), Side::Open);
    assert_eq!(Side::of(&Interval::ALL, &margin), Side::Open);
}

#[test]
fn pairs_for_an_effect() {
    // 13 % at a spread of 17.2 % a side with a correlation of 0.7 within pairs, 80 % power: the
    // normal approximation says 8.2, Student's quantiles a few more.
    let spread = 0.172 * (2.0_f64 * 0.3).sqrt();
    assert_eq!(pairs_needed(0.13, spread, 0.05, 0.8, 2..=100), Some(11));
    assert_eq!(pairs_needed(0.001, 1.0, 0.05, 0.8, 2..=100), None);
}
