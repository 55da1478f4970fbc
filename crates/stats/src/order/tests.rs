//! Expected values were computed with SciPy 1.17 and NumPy: `scipy.stats.quantile_test(range(1,
//! 31), p=q).confidence_interval(0.95)` and `numpy.quantile`.

use super::*;

#[test]
fn quantiles_interpolate() {
    let six = [890.92, 1073.74, 963.13, 1234.41, 754.18, 893.82];
    for (q, expected) in [
        (0.1, 822.55),
        (0.25, 891.645),
        (0.5, 928.475),
        (0.9, 1154.075),
    ] {
        assert!((quantile(&six, q).unwrap() - expected).abs() < 1e-9, "{q}");
    }
    assert_eq!(quantile(&[], 0.5), None);
    assert_eq!(quantile(&[3.0], 0.99), Some(3.0));
}

#[test]
fn intervals_are_those_of_scipy() {
    let values: Vec<f64> = (1..=30).map(f64::from).collect();
    for (q, low, high) in [
        (0.5, 10.0, 21.0),
        (0.25, 3.0, 13.0),
        (0.9, 23.0, f64::INFINITY),
    ] {
        let interval = quantile_interval(&values, q, 0.05);
        assert_eq!(interval, Some(Interval { low, high }), "{q}");
    }
}

#[test]
fn published_ranks_for_the_median() {
    // W. J. Conover, Practical Nonparametric Statistics, table of the sign test: with 6 values the
    // 95 % interval is from the smallest to the largest, with 10 from the second to the ninth.
    let of = |n: u32| quantile_interval(&(1..=n).map(f64::from).collect::<Vec<_>>(), 0.5, 0.05);
    assert_eq!(
        of(6),
        Some(Interval {
            low: 1.0,
            high: 6.0
        })
    );
    assert_eq!(
        of(10),
        Some(Interval {
            low: 2.0,
            high: 9.0
        })
    );
    assert_eq!(of(5), Some(Interval::ALL));
    assert_eq!(of(0), None);
}
