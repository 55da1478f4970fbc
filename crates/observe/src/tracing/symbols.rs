//! Names of the kernel's functions by their addresses: /proc/kallsyms.

use crate::tree::Tree;

/// Functions by address.
#[derive(Debug, Default)]
pub(super) struct Symbols(Vec<(u64, String)>);

impl Symbols {
    pub fn read(tree: &Tree) -> Self {
        Self::parse(&tree.text("proc/kallsyms").unwrap_or_default())
    }

    /// Addresses are zero for whoever may not know them.
    fn parse(text: &str) -> Self {
        let function = |line: &str| {
            let mut words = line.split_ascii_whitespace();
            let address = u64::from_str_radix(words.next()?, 16).ok()?;
            let kind = words.next()?;
            let name = words.next()?;
            (address > 0 && matches!(kind, "t" | "T")).then(|| (address, name.to_owned()))
        };
        let mut functions: Vec<_> = text.lines().filter_map(function).collect();
        functions.sort_unstable();
        Self(functions)
    }

    /// The function that holds the address.
    pub fn name(&self, address: u64) -> Option<&str> {
        let after = self.0.partition_point(|(start, _)| *start <= address);
        let (_, name) = self.0.get(after.checked_sub(1)?)?;
        // What the compiler split off is still that function.
        Some(name.split('.').next().unwrap_or(name))
    }

    /// The first function of a stack that is not about locking or tracing itself.
    pub fn caller(&self, stack: &[u64]) -> Option<&str> {
        const OWN: [&str; 22] = [
            "__bpf",
            "bpf_",
            "__traceiter",
            "trace_",
            "__pv_",
            "native_queued",
            "queued_",
            "_raw_",
            "__raw_",
            "do_raw_",
            "__mutex",
            "mutex_",
            "__rwsem",
            "rwsem_",
            "down_",
            "up_",
            "__down",
            "__up",
            "__rt_",
            "rt_mutex",
            "__percpu",
            "percpu_down",
        ];
        let named = stack.iter().filter(|address| **address > 0);
        named
            .filter_map(|address| self.name(*address))
            .find(|name| !OWN.iter().any(|own| name.starts_with(own)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
ffffffff81000000 T _stext
ffffffff81000200 t do_work.isra.0
ffffffff81000300 T _raw_spin_lock
ffffffff81000400 d data
ffffffffa0000000 t of_module\t[veth]
";

    #[test]
    fn addresses_have_the_name_of_the_function_around_them() {
        let symbols = Symbols::parse(TEXT);
        assert_eq!(symbols.name(0xffff_ffff_8100_0210), Some("do_work"));
        assert_eq!(symbols.name(0xffff_ffff_8100_0450), Some("_raw_spin_lock"));
        assert_eq!(symbols.name(0xffff_ffff_a000_0001), Some("of_module"));
        assert_eq!(symbols.name(1), None);
    }

    #[test]
    fn a_caller_is_above_the_lock() {
        let symbols = Symbols::parse(TEXT);
        let stack = [0xffff_ffff_8100_0301, 0xffff_ffff_8100_0201, 0, 0];
        assert_eq!(symbols.caller(&stack), Some("do_work"));
        assert_eq!(symbols.caller(&[0; 4]), None);
    }

    #[test]
    fn hidden_addresses_give_no_names() {
        let symbols = Symbols::parse("0000000000000000 T _stext\n");
        assert_eq!(symbols.name(5), None);
    }
}
