//! The tables of all experiments with seed 1, as they are: a failed prediction too.

use sim::reproduce::{Experiment, Figure, Trial, run};

/// Three digits: enough to see a change, and few enough for another machine's logarithm.
fn lines(kind: &str, figures: &[Figure]) -> String {
    figures
        .iter()
        .map(|one| format!("{kind}: {} = {:.2e} {}\n", one.name, one.value, one.unit))
        .collect()
}

fn table(experiment: &Experiment) -> String {
    let notes: String = experiment
        .notes
        .iter()
        .map(|note| format!("note: {note}\n"))
        .collect();
    format!(
        "{} {}\n{}{}{}{}{notes}{}: {}\n",
        experiment.id,
        experiment.title,
        lines("fitted", &experiment.fitted),
        lines("predicted", &experiment.predicted),
        lines("published", &experiment.published),
        lines("not verified", &experiment.not_verified),
        experiment.criterion,
        if experiment.pass { "pass" } else { "failed" },
    )
}

macro_rules! golden {
    ($($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                let experiment = run(stringify!($test), &Trial::plain(1)).unwrap();
                assert_eq!(experiment.id.to_lowercase(), stringify!($test));
                for figure in experiment.fitted.iter().chain(&experiment.predicted) {
                    assert!(figure.value.is_finite(), "{figure:?}");
                }
                insta::assert_snapshot!(table(&experiment));
            }
        )*
    };
}

golden!(e1 e2 e3 e4 e5 e6 e7 e8 e9 e10 e11 e12);

#[test]
fn an_unknown_experiment_is_refused_in_a_sentence() {
    let refused = run("E13", &Trial::plain(1)).unwrap_err().to_string();
    assert_eq!(refused, "there is no experiment 'E13': use E1 to E12");
}
