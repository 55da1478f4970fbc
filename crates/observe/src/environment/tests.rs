use super::*;

#[test]
fn values_are_gathered() {
    let of = |values: &[&str]| {
        let values: Vec<_> = (0..).zip(values.iter().map(|v| (*v).to_owned())).collect();
        gathered(&values)
    };
    assert_eq!(of(&[]), None);
    assert_eq!(of(&["performance"; 4]).as_deref(), Some("performance"));
    assert_eq!(
        of(&["a", "a", "b", "a"]).as_deref(),
        Some("a (0-1,3), b (2)")
    );
}

#[test]
fn this_host_is_described() {
    let here = environment(&Tree::here(), Some("lo"));
    assert!(
        here.keys().any(|name| name.starts_with("boot.")),
        "{here:?}"
    );
    assert_eq!(here.get("offload.loopback").map(String::as_str), Some("on"));
    assert_eq!(here.get("qdisc.root").map(String::as_str), Some("noqueue"));
}

#[test]
fn an_empty_tree_gives_nothing() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(
        environment(&Tree::at(root.path()), None),
        Environment::new()
    );
}
