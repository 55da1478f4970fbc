use super::*;

#[test]
fn two_places() {
    let values = [660.0, 1073.0, 662.0, 658.0, 1080.0, 1071.0, 661.0];
    let modes = modes(&values).unwrap();
    assert_eq!((modes.low_count, modes.high_count), (4, 3));
    assert!((modes.low - 660.25).abs() < 1e-9 && (modes.high - 1_074.666_666).abs() < 1e-3);
    assert!(modes.border > 662.0 && modes.border < 1071.0);
}

#[test]
fn one_place() {
    assert_eq!(modes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), None);
    // Two on one side are outliers, not a mode.
    assert_eq!(modes(&[1.0, 1.1, 1.2, 1.3, 9.0, 9.1]), None);
    assert_eq!(modes(&[]), None);
    assert_eq!(modes(&[3.0; 8]), None);
}

#[test]
fn plain_noise_is_seldom_two_places() {
    let mut random = crate::Random::seeded(3);
    let hits = (0..1_000)
        .filter(|_| modes(&(0..12).map(|_| random.normal()).collect::<Vec<_>>()).is_some())
        .count();
    assert!(hits < 30, "{hits} of 1000");
}

#[test]
fn fisher_is_that_of_scipy() {
    // scipy.stats.fisher_exact([[3, 9], [10, 2]]) and [[1, 7], [2, 6]].
    assert!((fisher([3, 10], [12, 12]) - 0.012_278_137_799_742).abs() < 1e-9);
    assert!((fisher([1, 2], [8, 8]) - 1.0).abs() < 1e-9);
}
