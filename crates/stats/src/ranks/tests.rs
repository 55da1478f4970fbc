//! Expected values were computed with SciPy 1.17: `scipy.stats.mannwhitneyu(B, A, method=...)`.

use super::*;

fn p(a: &[f64], b: &[f64]) -> (f64, f64) {
    let test = mann_whitney(a, b).unwrap();
    (test.u, test.p)
}

#[test]
fn smallest_p_values_of_small_samples() {
    for (n, expected) in [
        (3, 0.1),
        (4, 0.028_571_428_571),
        (5, 0.007_936_507_936),
        (6, 0.002_164_502_164),
    ] {
        let a: Vec<f64> = (0..n).map(f64::from).collect();
        let b: Vec<f64> = (n..2 * n).map(f64::from).collect();
        assert!((p(&a, &b).1 - expected).abs() < 1e-10, "{n}");
        assert!((p(&b, &a).1 - expected).abs() < 1e-10, "{n}");
    }
}

#[test]
fn exact_without_ties() {
    let a = [12.1, 11.4, 13.0, 12.7, 11.9, 12.3, 14.8, 11.1];
    let b = [13.3, 12.9, 14.1, 13.6, 15.2, 12.2, 13.9, 13.05, 14.4];
    let (u, p) = p(&a, &b);
    assert_eq!(u, 60.0);
    assert!((p - 0.020_649_938_296_997_1).abs() < 1e-12, "{p}");
}

#[test]
fn corrected_for_ties() {
    let a = [1.0, 2.0, 2.0, 3.0, 4.0, 5.0];
    let b = [2.0, 3.0, 4.0, 4.0, 6.0, 7.0, 8.0];
    let (u, p) = p(&a, &b);
    assert_eq!(u, 32.5);
    assert!((p - 0.111_559_305_450_782_1).abs() < 1e-7, "{p}");
}

#[test]
fn equal_samples_tell_nothing() {
    assert_eq!(p(&[2.0; 5], &[2.0; 7]).1, 1.0);
    assert_eq!(mann_whitney(&[], &[1.0]), None);
}
