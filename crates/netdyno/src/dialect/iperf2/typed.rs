//! What was typed, by option.

use std::collections::BTreeMap;

use super::number;
use super::option::{OPTIONS, Opt, VARIABLES, written};
use super::refusal::{Refusal, refused};
use crate::dialect::getopt_long::{Found, Takes, getopt_long};

/// The options of a command line and of the environment. The last of a kind counts, and the order
/// of different ones does not matter, as it does with iperf: `-P 3 -c host` are three flows.
#[derive(Debug, Default)]
pub(super) struct Typed {
    values: BTreeMap<Opt, Option<String>>,
    /// Whether the first of `-c` and `-s` was `-c`; none without any.
    pub is_client: Option<bool>,
    /// Sentences for standard error.
    pub notes: Vec<String>,
}

impl Typed {
    pub fn new(
        words: &[String],
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Refusal> {
        let mut typed = Self::default();
        for (variable, opt) in VARIABLES {
            if let Some(value) = environment(variable) {
                let takes = OPTIONS.iter().find(|known| known.id == *opt);
                let bare = takes.is_some_and(|known| known.takes == Takes::Nothing);
                typed.take(*opt, Some(value).filter(|_| !bare));
            }
        }
        let finds = getopt_long(words, OPTIONS)
            .map_err(|slip| refused(format!("{slip} (see 'iperf --help')")))?;
        for find in finds {
            match find {
                Found::Option(opt, _, value) => typed.take(opt, value.map(str::to_owned)),
                Found::Operand(word) => {
                    typed.note(format!("ignoring extra argument -- {word}"));
                }
            }
        }
        Ok(typed)
    }

    fn take(&mut self, opt: Opt, value: Option<String>) {
        match opt {
            Opt::Client => _ = self.is_client.get_or_insert(true),
            Opt::Server => _ = self.is_client.get_or_insert(false),
            _ => {}
        }
        let value = match (opt, self.values.get(&opt), value) {
            // Letters of several add up.
            (Opt::ReportExclude, Some(Some(before)), Some(value)) => Some(before.clone() + &value),
            (_, _, value) => value,
        };
        self.values.insert(opt, value);
    }

    pub fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    pub fn has(&self, opt: Opt) -> bool {
        self.values.contains_key(&opt)
    }

    /// Any of them.
    pub fn has_any(&self, opts: &[Opt]) -> Option<Opt> {
        opts.iter().copied().find(|opt| self.has(*opt))
    }

    pub fn text(&self, opt: Opt) -> Option<&str> {
        self.values.get(&opt)?.as_deref()
    }

    /// The value, read by `read`, which is given the option's name.
    pub fn read<T>(
        &self,
        opt: Opt,
        read: impl FnOnce(&str, &str) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        let text = self.text(opt);
        text.map(|text| read(&written(opt), text)).transpose()
    }

    pub fn scaled(&self, opt: Opt) -> Result<Option<u64>, Refusal> {
        self.read(opt, number::scaled)
    }

    pub fn seconds(&self, opt: Opt) -> Result<Option<units::Nanos>, Refusal> {
        self.read(opt, number::seconds)
    }

    pub fn count(&self, opt: Opt, least: u32) -> Result<Option<u32>, Refusal> {
        self.read(opt, |option, text| number::count(option, text, least))
    }
}
