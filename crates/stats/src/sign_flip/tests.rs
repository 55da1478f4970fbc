use super::*;

const D: [f64; 8] = [0.021, -0.004, 0.013, 0.035, 0.008, 0.017, -0.011, 0.026];

#[test]
fn the_ends_are_where_the_full_test_begins_to_reject() {
    // Computed with NumPy: bisection for the centre at which the two-sided permutation test over
    // all 2^8 sign patterns has p = 5 %.
    let interval = sign_flip_interval(&D, 0.05).unwrap();
    assert!(
        (interval.low - -0.000_666_666_67).abs() < 1e-9,
        "{interval:?}"
    );
    assert!((interval.high - 0.026).abs() < 1e-9, "{interval:?}");
}

#[test]
fn six_pairs_are_the_least_for_five_percent() {
    let six = [1.0, 2.0, 3.0, 4.0, 5.0, 9.0];
    assert_eq!(
        sign_flip_interval(&six, 0.05),
        Some(Interval {
            low: 1.0,
            high: 9.0
        })
    );
    assert_eq!(sign_flip_interval(&six[..5], 0.05), Some(Interval::ALL));
    assert_eq!(sign_flip_interval(&[], 0.05), None);
    for (pairs, p) in [(5, 0.0625), (6, 0.03125), (8, 0.0078125), (10, 0.001953125)] {
        assert_eq!(smallest_p(pairs), p);
    }
}

#[test]
fn drawn_subsets_come_near_all_of_them() {
    let values: Vec<f64> = (0..17).map(|i| f64::from(i * i % 23)).collect();
    let drawn = sign_flip_interval(&values, 0.05).unwrap();
    let exact = {
        let means = sorted(
            &(1..1_u32 << 17)
                .map(|set| mean_of(&values, set))
                .collect::<Vec<_>>(),
        );
        let outside = (0.025 * f64::from(1 << 17)).floor() as usize;
        Interval::between(means[outside - 1], means[means.len() - outside])
    };
    assert!(
        (drawn.low - exact.low).abs() < 0.03 * exact.width(),
        "{drawn:?} {exact:?}"
    );
    assert!(
        (drawn.high - exact.high).abs() < 0.03 * exact.width(),
        "{drawn:?} {exact:?}"
    );
}
