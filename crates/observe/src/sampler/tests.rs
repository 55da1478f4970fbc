use super::*;

#[test]
fn this_host_is_observed_and_only_changes_are_told() {
    let mut sampler = Sampler::new();
    let first = sampler.observe(End::Client, 0);
    assert!(first.rows.get("host", "all", "context_switches").is_some());
    assert!(first.rows.get("interface", "lo", "rx_bytes").is_some());
    assert!(first.rows.sum("softnet", "processed").is_some());
    assert!(first.rows.sum("thread", "run_ns").is_some());
    let second = sampler.observe(End::Client, 1);
    assert!(second.rows.len() < first.rows.len() / 2, "{second:?}");
}
