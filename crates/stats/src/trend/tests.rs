use super::*;

const D: [f64; 14] = [
    0.021, -0.004, 0.013, 0.035, 0.008, 0.017, -0.011, 0.026, 0.019, 0.030, 0.002, 0.015, 0.041,
    -0.002,
];

#[test]
fn drift_is_that_of_scipy() {
    // scipy.stats.linregress(range(14), D)
    let found = drift(&D).unwrap();
    assert!((found.slope - 0.000_298_901_098_901).abs() < 1e-12);
    assert!(
        (found.p - 0.780_604_759_332_827_1).abs() < 1e-9,
        "{}",
        found.p
    );
    let line = drift(&[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert!((line.slope - 1.0).abs() < 1e-12 && line.p < 1e-9);
    assert_eq!(drift(&[1.0; 5]).unwrap().p, 1.0);
    assert_eq!(drift(&[1.0, 2.0]), None);
}

#[test]
fn memory() {
    assert!((lag_one(&D).unwrap() - -0.377_065_432_914_738_9).abs() < 1e-12);
    assert_eq!(lag_one(&[1.0; 5]), None);
    assert_eq!(effective_size(90, 0.5), 30.0);
    assert_eq!(effective_size(10, -0.5), 10.0);
    assert_eq!(effective_size(10, 1.0), 1.0);
}

#[test]
fn what_does_not_belong() {
    let values = [10.0, 10.2, 9.9, 10.1, 10.0, 4.0, 10.05];
    assert_eq!(outliers(&values, 3.5), [5]);
    assert_eq!(
        outliers(&[1.0, 1.0, 1.0, 1.0, 9.0], 3.5),
        Vec::<usize>::new()
    );
    assert_eq!(outliers(&[], 3.5), Vec::<usize>::new());
}
