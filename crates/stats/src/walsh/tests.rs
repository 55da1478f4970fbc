//! Expected values were computed with NumPy: medians of all pairwise means and differences, and
//! the signed-rank distribution by repeated convolution.

use proptest::prelude::*;

use super::*;

const D: [f64; 14] = [
    0.021, -0.004, 0.013, 0.035, 0.008, 0.017, -0.011, 0.026, 0.019, 0.030, 0.002, 0.015, 0.041,
    -0.002,
];

#[test]
fn location() {
    assert!((hodges_lehmann(&D).unwrap() - 0.015).abs() < 1e-12);
    let six = [890.92, 1073.74, 963.13, 1234.41, 754.18, 893.82];
    assert!((hodges_lehmann(&six).unwrap() - 963.13).abs() < 1e-9);
    assert_eq!(hodges_lehmann(&[]), None);
    assert_eq!(hodges_lehmann(&[4.0]), Some(4.0));
    let a = [12.1, 11.4, 13.0, 12.7, 11.9, 12.3, 14.8, 11.1];
    let b = [13.3, 12.9, 14.1, 13.6, 15.2, 12.2, 13.9, 13.0, 14.4];
    assert!((shift(&a, &b).unwrap() - 1.35).abs() < 1e-9);
}

#[test]
fn ranks_of_the_published_table() {
    // Wilcoxon's table of critical values, two-sided 5 % and 1 %: the test rejects at 0 for 6
    // pairs, at 3 for 8, at 8 for 10, at 21 for 14, at 52 for 20; the interval's rank is one more.
    for (n, at_five, at_one) in [
        (6, 1, 0),
        (8, 4, 1),
        (10, 9, 4),
        (14, 22, 13),
        (20, 53, 38),
        (30, 138, 110),
    ] {
        assert_eq!(signed_rank_quantile(n, 0.025), at_five, "{n}");
        assert_eq!(signed_rank_quantile(n, 0.005), at_one, "{n}");
    }
}

#[test]
fn interval() {
    let interval = signed_rank_interval(&D, 0.05).unwrap();
    assert!((interval.low - 0.0055).abs() < 1e-12 && (interval.high - 0.0245).abs() < 1e-12);
    assert_eq!(signed_rank_interval(&D[..5], 0.05), Some(Interval::ALL));
}

proptest! {
    #[test]
    fn a_resample_has_its_own_estimate(
        sample in prop::collection::vec((-1e3..1e3_f64, 0_u32..4), 1..15),
    ) {
        let (values, times): (Vec<f64>, Vec<u32>) = sample.into_iter().unzip();
        let repeat = |(x, n): (&f64, &u32)| std::iter::repeat_n(*x, *n as usize);
        let written_out: Vec<f64> = values.iter().zip(&times).flat_map(repeat).collect();
        prop_assert_eq!(Walsh::of(&values).median(&times), hodges_lehmann(&written_out));
    }

    #[test]
    fn moves_and_grows_with_the_values(
        values in prop::collection::vec(-1e3..1e3, 1..20),
        by in -1e3..1e3_f64,
        times in 0.1..10.0_f64,
    ) {
        let moved: Vec<f64> = values.iter().map(|x| times * x + by).collect();
        let expected = times * hodges_lehmann(&values).unwrap() + by;
        prop_assert!((hodges_lehmann(&moved).unwrap() - expected).abs() < 1e-8);
        let turned: Vec<f64> = values.iter().map(|x| -x).collect();
        prop_assert!((hodges_lehmann(&turned).unwrap() + hodges_lehmann(&values).unwrap()).abs() < 1e-8);
    }
}
