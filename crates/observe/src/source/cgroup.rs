//! How much the process's control groups were throttled: cpu.stat of each group up to the root.

use record::Rows;

use super::{Unreadable, number};

/// cpu.stat of version 1 (nanoseconds) or 2 (microseconds); `group` is the group's path.
pub(crate) fn cpu_stat(group: &str, text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(key), Some(value)) = (words.next(), number(&mut words)) else {
            continue;
        };
        let (name, value) = match key {
            "nr_periods" => ("periods", value),
            "nr_throttled" => ("throttled_periods", value),
            "throttled_usec" => ("throttled_us", value),
            "throttled_time" => ("throttled_us", value / 1000),
            "usage_usec" => ("usage_us", value),
            _ => continue,
        };
        rows.set("cgroup", group, name, value);
    }
    Ok(())
}

/// Where a group's files are: the controller's mount point and the group below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub mount: String,
    pub group: String,
}

impl Place {
    /// Of the controller `cpu`, or of version 2, from /proc/self/cgroup and /proc/self/mountinfo.
    pub fn find(cgroup: &str, mountinfo: &str) -> Option<Self> {
        let group = |wanted: fn(&str) -> bool| {
            cgroup.lines().find_map(|line| {
                let (_, rest) = line.split_once(':')?;
                let (controllers, group) = rest.split_once(':')?;
                wanted(controllers).then(|| group.to_owned())
            })
        };
        let mount = |kind: &str, option: &str| {
            mountinfo.lines().find_map(|line| {
                let (before, after) = line.split_once(" - ")?;
                let mut after = after.split(' ');
                let fits = after.next()? == kind
                    && (option.is_empty() || after.nth(1)?.split(',').any(|word| word == option));
                let mut before = before.split(' ');
                let (root, point) = (before.nth(3)?, before.next()?);
                fits.then(|| (root.to_owned(), point.to_owned()))
            })
        };
        let first = group(|of| of.split(',').any(|word| word == "cpu"))
            .and_then(|group| Some((group, mount("cgroup", "cpu")?)));
        let second = || Some((group(str::is_empty)?, mount("cgroup2", "")?));
        let (group, (root, mount)) = first.or_else(second)?;
        // In a container the mount shows a part of the tree only.
        let group = match group.strip_prefix(&root) {
            Some(rest) if root != "/" => rest.to_owned(),
            _ => group,
        };
        Some(Self { mount, group })
    }

    /// The group and those above it, with their folders, the root last.
    pub fn levels(&self) -> impl Iterator<Item = (String, String)> {
        let mut next = Some(self.group.trim_end_matches('/').to_owned());
        let mount = self.mount.clone();
        std::iter::from_fn(move || {
            let group = next.take()?;
            next = group.rsplit_once('/').map(|(above, _)| above.to_owned());
            let name = if group.is_empty() { "/" } else { &group };
            Some((name.to_owned(), format!("{mount}{group}")))
        })
    }
}
