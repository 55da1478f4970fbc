use super::simulation::{Machine, Noise, compare};
use super::*;

fn rules(pairs: Option<usize>) -> Rules {
    Rules {
        seed: 7,
        alpha: 0.05,
        margins: vec![Interval::around(0.0, 0.03)],
        pairs,
        pilots: 1,
        most_time: None,
    }
}

/// Runs a schedule to its end with values of B that are `apart` above A's; what it did.
fn run(schedule: &mut Schedule, apart: f64) -> (Vec<Step>, Stop) {
    let mut steps = Vec::new();
    let mut random = Random::seeded(1);
    loop {
        let step = schedule.next(0.0);
        match step {
            Step::Stop(stop) => return (steps, stop),
            Step::Pilot(_) => schedule.pilot_done(true),
            Step::Trial { side, .. } => {
                let truth = if side == Side::B { apart } else { 0.0 };
                schedule.trial_done(side, Some(vec![truth + 0.001 * random.normal()]));
            }
        }
        steps.push(step);
    }
}

#[test]
fn pilots_then_pairs_in_random_order() {
    let mut schedule = Schedule::new(rules(Some(6)));
    let (steps, stop) = run(&mut schedule, 0.1);
    assert_eq!(steps[..2], [Step::Pilot(Side::A), Step::Pilot(Side::B)]);
    assert_eq!((steps.len(), stop), (2 + 12, Stop::Settled));
    let pairs: Vec<_> = steps[2..].chunks(2).collect();
    for (block, pair) in (0..).zip(&pairs) {
        let sides = pair.iter().map(|step| match step {
            Step::Trial { block: at, side } if *at == block => *side,
            other => panic!("{other:?}"),
        });
        let sides: Vec<_> = sides.collect();
        assert_ne!(sides[0], sides[1]);
    }
    let first = |pair: &&[Step]| matches!(pair[0], Step::Trial { side: Side::A, .. });
    let a_first = pairs.iter().filter(|pair| first(pair)).count();
    assert!((1..6).contains(&a_first), "{a_first} of 6");
}

#[test]
fn a_clear_difference_ends_at_the_first_look() {
    let mut schedule = Schedule::new(rules(None));
    let (steps, stop) = run(&mut schedule, 0.1);
    assert_eq!((steps.len(), stop), (2 + 16, Stop::Settled));
    assert_eq!(schedule.pairs(), FIRST_LOOK);
}

#[test]
fn equal_sides_are_equivalent() {
    let mut schedule = Schedule::new(rules(None));
    assert_eq!(run(&mut schedule, 0.0).1, Stop::Settled);
    let interval = schedule.answer(0).unwrap().interval;
    assert_eq!(
        stats::Side::of(&interval, &rules(None).margins[0]),
        stats::Side::Equivalent
    );
}

#[test]
fn resuming_goes_on_where_it_was() {
    let mut whole = Schedule::new(rules(Some(20)));
    let mut again = Schedule::new(rules(Some(20)));
    for schedule in [&mut whole, &mut again] {
        schedule.pilot_done(true);
        schedule.pilot_done(true);
    }
    for step in 0..15 {
        assert_eq!(whole.next(0.0), again.next(0.0), "{step}");
        let Step::Trial { side, .. } = whole.next(0.0) else {
            panic!("no trial")
        };
        whole.trial_done(side, Some(vec![f64::from(step)]));
        again.trial_done(side, Some(vec![f64::from(step)]));
    }
}

#[test]
fn failed_trials_cost_their_pair_and_too_many_the_comparison() {
    let mut schedule = Schedule::new(Rules {
        pilots: 0,
        ..rules(Some(6))
    });
    let mut trials = 0;
    while let Step::Trial { side, .. } = schedule.next(0.0) {
        trials += 1;
        schedule.trial_done(side, (trials != 3).then(|| vec![0.0]));
    }
    assert_eq!((trials, schedule.pairs()), (14, 6));

    let mut schedule = Schedule::new(Rules {
        pilots: 0,
        ..rules(Some(6))
    });
    let mut trials = 0;
    while let Step::Trial { side, .. } = schedule.next(0.0) {
        trials += 1;
        schedule.trial_done(side, None);
    }
    assert_eq!(
        (trials, schedule.next(0.0)),
        (3, Step::Stop(Stop::Failures))
    );
}

#[test]
fn no_pair_is_begun_that_would_end_too_late() {
    let mut schedule = Schedule::new(Rules {
        pilots: 0,
        most_time: Some(10.0),
        ..rules(Some(100))
    });
    let mut elapsed = 0.0;
    while let Step::Trial { side, .. } = schedule.next(elapsed) {
        elapsed += 1.0;
        schedule.trial_done(side, Some(vec![elapsed]));
    }
    assert_eq!(schedule.next(elapsed), Step::Stop(Stop::TimeUp));
    assert_eq!((elapsed, schedule.pairs()), (10.0, 5));
}

#[test]
fn levels_of_the_looks() {
    let one = Looks::planned(Some(6), 0.05);
    assert!((one.level_at(6) - 0.05).abs() < 1e-6);
    let three = Looks::planned(Some(40), 0.05);
    assert_eq!(three.pairs().collect::<Vec<_>>(), [8, 20, 40]);
    let [first, second, last] = [8, 20, 40].map(|pairs| three.level_at(pairs));
    assert!((first - 0.01).abs() < 1e-6, "{first}");
    assert!((0.015..0.025).contains(&second), "{second}");
    assert!((0.03..0.05).contains(&last), "{last}");
    // Ended by the clock between two looks: all the error is left for this one.
    assert!(three.level_at(30) > second);
    // Before the first look all of it.
    assert!((three.level_at(6) - 0.05).abs() < 1e-6);
}

/// The table of `cargo xtask compare-score` in small.
const TRIES: usize = 200;

fn alarms(machine: Machine) -> usize {
    let wolf = |seed| compare(machine, 1.0, 0.03, None, seed as u64).is_alarm();
    (0..TRIES).filter(|seed| wolf(*seed)).count()
}

#[test]
fn the_same_twice_seldom_cries_wolf() {
    for (noise, drift, memory) in [
        (Noise::SixFigures, 0.0, 0.0),
        (Noise::SixFigures, 0.1, 0.9),
        (Noise::Steady(0.02), 0.2, 0.95),
        (Noise::TwoStates(0.5), 0.0, 0.0),
    ] {
        let machine = Machine {
            noise,
            drift,
            memory,
        };
        let alarms = alarms(machine);
        // 5 % of 200 and three standard deviations.
        assert!(alarms <= 19, "{machine:?}: {alarms} of {TRIES}");
    }
}

#[test]
fn five_percent_are_found() {
    let machine = Machine {
        noise: Noise::Steady(0.05),
        drift: 0.0,
        memory: 0.0,
    };
    let found = |seed| compare(machine, 1.05, 0.05, None, seed as u64);
    let hits = (0..TRIES)
        .filter(|seed| found(*seed).side() == stats::Side::Above)
        .count();
    assert!(hits * 100 >= 92 * TRIES, "{hits} of {TRIES}");
}
