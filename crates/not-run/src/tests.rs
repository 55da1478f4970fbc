use crate::machine::effective_uid;

#[test]
fn the_effective_user_is_the_second_figure() {
    let status = "Name:\tcat\nUid:\t1000\t0\t0\t0\nGid:\t5\t5\t5\t5\n";
    assert_eq!(effective_uid(status), Some(0));
    assert_eq!(effective_uid("Name:\tcat\n"), None);
}

#[test]
fn here_is_the_function_that_asks() {
    assert_eq!(
        crate::here!(),
        "not_run::tests::here_is_the_function_that_asks"
    );
}

#[test]
fn programs_are_found_by_name() {
    assert!(crate::program("sh").is_some());
    assert_eq!(crate::program("no-such-program-anywhere"), None);
}
