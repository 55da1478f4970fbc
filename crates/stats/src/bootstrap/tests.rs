//! Expected values were computed with SciPy 1.17, 200,000 resamples: `scipy.stats.bootstrap((x,),
//! numpy.mean, method="BCa")`.

use super::*;

fn of_mean(values: &[f64], alpha: f64) -> Option<Interval> {
    bca_interval(values.len(), alpha, |times| {
        let n: u32 = times.iter().sum();
        let sum: f64 = values
            .iter()
            .zip(times)
            .map(|(x, n)| x * f64::from(*n))
            .sum();
        (n > 0).then(|| sum / f64::from(n))
    })
}

const D: [f64; 14] = [
    0.021, -0.004, 0.013, 0.035, 0.008, 0.017, -0.011, 0.026, 0.019, 0.030, 0.002, 0.015, 0.041,
    -0.002,
];

#[test]
fn as_scipy_has_it() {
    let interval = of_mean(&D, 0.05).unwrap();
    assert!((interval.low - 0.007_357).abs() < 2.5e-4, "{interval:?}");
    assert!((interval.high - 0.022_714).abs() < 2.5e-4, "{interval:?}");
}

#[test]
fn skewed_data_move_both_ends() {
    let logs: [f64; 16] = [
        0.1, 1.2, -0.3, 0.8, 2.1, 0.4, -1.0, 0.0, 1.6, 0.9, 0.3, -0.5, 1.1, 0.7, 2.6, 0.2,
    ];
    let interval = of_mean(&logs.map(f64::exp), 0.05).unwrap();
    assert!((interval.low - 1.812).abs() < 0.06, "{interval:?}");
    assert!((interval.high - 5.482).abs() < 0.2, "{interval:?}");
}

#[test]
fn the_same_every_time() {
    assert_eq!(of_mean(&D, 0.05), of_mean(&D, 0.05));
}

#[test]
fn without_spread_a_point_and_without_values_nothing() {
    let point = Interval {
        low: 3.0,
        high: 3.0,
    };
    assert_eq!(of_mean(&[3.0; 12], 0.05), Some(point));
    assert_eq!(of_mean(&[], 0.05), None);
}
