use super::*;
use crate::Random;

fn noise(random: &mut Random, level: f64, n: usize) -> Vec<f64> {
    (0..n)
        .map(|_| level * (1.0 + 0.02 * random.normal()))
        .collect()
}

fn places(values: &[f64]) -> Vec<usize> {
    changes(values, ChangeRule::default())
        .iter()
        .map(|change| change.at)
        .collect()
}

#[test]
fn a_step_is_found_where_it_is() {
    let mut random = Random::seeded(1);
    let values = [noise(&mut random, 100.0, 30), noise(&mut random, 90.0, 30)].concat();
    let found = changes(&values, ChangeRule::default());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].at, 30);
    assert!((found[0].before - 100.0).abs() < 2.0 && (found[0].after - 90.0).abs() < 2.0);
    assert!(found[0].p < 1e-6);
}

#[test]
fn two_near_changes_are_two() {
    let mut random = Random::seeded(2);
    let values = [
        noise(&mut random, 100.0, 40),
        noise(&mut random, 80.0, 10),
        noise(&mut random, 100.0, 60),
    ]
    .concat();
    assert_eq!(places(&values), [40, 50]);
}

#[test]
fn small_changes_noise_and_short_histories_are_none() {
    let mut random = Random::seeded(3);
    let small = [noise(&mut random, 100.0, 60), noise(&mut random, 97.0, 60)].concat();
    assert_eq!(places(&small), Vec::<usize>::new());
    let short = [vec![1.0; 9], vec![9.0; 10]].concat();
    assert_eq!(places(&short), Vec::<usize>::new());
    assert_eq!(places(&[5.0; 100]), Vec::<usize>::new());
}

#[test]
fn steps_without_noise_are_found() {
    assert_eq!(places(&[vec![1.0; 20], vec![2.0; 20]].concat()), [20]);
}

#[test]
fn false_alarms_are_rare() {
    let mut random = Random::seeded(4);
    let alarms = (0..200)
        .filter(|_| {
            let values: Vec<f64> = (0..100)
                .map(|_| 100.0 * (1.0 + 0.1 * random.normal()))
                .collect();
            !places(&values).is_empty()
        })
        .count();
    assert!(alarms <= 10, "{alarms} of 200");
}
