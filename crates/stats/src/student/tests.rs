//! Expected values were computed with SciPy 1.17: `scipy.stats.t.ppf`, `t.interval`,
//! `ttest_ind(B, A, equal_var=False)`; Fieller's from the roots of its quadratic by `numpy.roots`.

use super::*;

const A: [f64; 8] = [12.1, 11.4, 13.0, 12.7, 11.9, 12.3, 14.8, 11.1];
const B: [f64; 9] = [13.3, 12.9, 14.1, 13.6, 15.2, 12.2, 13.9, 13.0, 14.4];
/// The six runs of one command that a kernel developer published.
const SIX: [f64; 6] = [890.92, 1073.74, 963.13, 1234.41, 754.18, 893.82];

fn close(value: f64, expected: f64) {
    assert!(
        (value - expected).abs() <= 1e-7 * expected.abs().max(1.0),
        "{value} {expected}"
    );
}

#[test]
fn quantiles() {
    close(t_quantile(0.975, 5.0), 2.570_581_835_636_314_6);
    close(t_quantile(0.995, 7.0), 3.499_483_297_350_492_4);
    close(t_quantile(0.025, 1.0), -12.706_204_736_174_705);
    close(t_quantile(0.9995, 3.3), 11.106_695_189_933_484);
    close(t_quantile(0.1, 29.0), -1.311_433_647_301_550_9);
    close(t_quantile(0.6, 2.0), 0.288_675_134_594_812_8);
    close(normal_quantile(0.975), 1.959_963_984_540_054);
    close(normal_share(1.959_963_984_540_054), 0.975);
    assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
    close(t_two_sided(-2.570_581_835_636_314_6, 5.0), 0.05);
}

#[test]
fn interval_of_the_six_runs() {
    let interval = t_interval(&SIX, 0.05).unwrap();
    close(interval.low, 793.176_194_862_507_6);
    close(interval.high, 1_143.557_138_470_825_7);
}

#[test]
fn welch_is_that_of_scipy() {
    let test = welch(&A, &B).unwrap();
    close(test.t, 2.397_775_513_269_136_3);
    close(test.p, 0.031_914_788_309_865_87);
    close(test.freedom, 13.235_123_435_555_629);
    assert!(test.difference > 0.0);
}

#[test]
fn fieller_solves_its_quadratic() {
    let interval = fieller(&A, &B, 0.05).unwrap();
    close(interval.low, 1.009_279_356_549_601);
    close(interval.high, 1.196_637_124_749_079);
}

#[test]
fn too_little_data_gives_nothing() {
    assert_eq!(t_interval(&[1.0], 0.05), None);
    assert_eq!(welch(&[1.0], &B), None);
    assert_eq!(welch(&[1.0, 1.0], &[2.0, 2.0]), None);
    // The mean of `a` cannot be told from zero.
    assert_eq!(fieller(&[-1.0, 1.2, 0.1], &B, 0.05), None);
}

#[test]
fn no_spread_is_a_point() {
    let point = Interval {
        low: 2.0,
        high: 2.0,
    };
    assert_eq!(t_interval(&[2.0, 2.0], 0.05), Some(point));
    assert_eq!(fieller(&[1.0, 1.0], &[2.0, 2.0], 0.05), Some(point));
}
