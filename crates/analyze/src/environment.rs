//! What differs between the hosts of two runs.

use std::collections::BTreeMap;

use record::{End, Facts, Hosts};

/// A fact that two runs do not share. None where a run does not know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Whose fact it is.
    pub end: End,
    /// Its name.
    pub name: String,
    /// In the first run.
    pub a: Option<String>,
    /// In the second.
    pub b: Option<String>,
}

/// Everything that is known of the hosts and differs, by end and name. Which boot and which
/// network namespace it was are left out: they differ without meaning anything.
pub fn differences(a: &Hosts, b: &Hosts) -> Vec<Difference> {
    let mut found = of_end(End::Client, &named(&a.client), &named(&b.client));
    if let (Some(a), Some(b)) = (&a.server, &b.server) {
        found.extend(of_end(End::Server, &named(a), &named(b)));
    }
    found
}

fn of_end(end: End, a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Vec<Difference> {
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let differs = |name: &&&String| a.get(**name) != b.get(**name);
    let difference = |name: &String| Difference {
        end,
        name: name.clone(),
        a: a.get(name).cloned(),
        b: b.get(name).cloned(),
    };
    names
        .iter()
        .filter(differs)
        .map(|name| difference(name))
        .collect()
}

/// Facts by name, those without a name of their own first.
fn named(facts: &Facts) -> BTreeMap<String, String> {
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    let known = [
        ("netdyno", Some(facts.netdyno.clone())),
        ("hostname", facts.hostname.clone()),
        ("kernel", facts.kernel.clone()),
        ("machine", facts.machine.clone()),
        ("cpu_model", facts.cpu_model.clone()),
        ("cpus", number(facts.cpus.map(u64::from))),
        ("memory_bytes", number(facts.memory_bytes)),
        ("clocksource", facts.clocksource.clone()),
        ("virtualization", facts.virtualization.clone()),
        ("interface", facts.interface.clone()),
        ("interface.driver", facts.driver.clone()),
        (
            "interface.mtu_bytes",
            number(facts.mtu_bytes.map(u64::from)),
        ),
        ("interface.qdisc", facts.qdisc.clone()),
    ];
    let known = known
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let sysctls = facts
        .sysctls
        .iter()
        .map(|(name, value)| (format!("sysctl.{name}"), value.clone()));
    let environment = facts.environment.clone();
    known.chain(sysctls).chain(environment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(governor: &str, sack: Option<&str>) -> Hosts {
        let sack = sack.map(|value| ("net.ipv4.tcp_sack".to_owned(), value.to_owned()));
        let facts = Facts {
            kernel: Some("6.12".into()),
            sysctls: sack.into_iter().collect(),
            environment: [("cpu.governor".into(), governor.into())].into(),
            ..Facts::default()
        };
        Hosts {
            client: facts.clone(),
            server: Some(facts),
        }
    }

    #[test]
    fn what_is_equal_is_not_told() {
        let same = hosts("performance", Some("1"));
        assert_eq!(differences(&same, &same), []);
    }

    #[test]
    fn what_differs_or_is_known_once_is_told_for_each_end() {
        let found = differences(&hosts("performance", Some("1")), &hosts("powersave", None));
        let told: Vec<_> = found
            .iter()
            .map(|d| {
                (
                    d.end.name(),
                    d.name.as_str(),
                    d.a.as_deref(),
                    d.b.as_deref(),
                )
            })
            .collect();
        let governor = ("cpu.governor", Some("performance"), Some("powersave"));
        let sack = ("sysctl.net.ipv4.tcp_sack", Some("1"), None);
        let of = |end, (name, a, b): (&'static str, _, _)| (end, name, a, b);
        assert_eq!(
            told,
            [
                of("client", governor),
                of("client", sack),
                of("server", governor),
                of("server", sack)
            ]
        );
    }
}
