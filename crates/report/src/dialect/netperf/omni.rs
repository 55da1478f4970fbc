//! The forms that show selected figures.

use super::{Form, NetperfResult, SELECTORS_MOST_BLOCKS, Selection, Selector, Way};

/// Lines of a head in the human form.
const HEAD_LINES: usize = 4;

/// `-o`: a line of heads, a line of values.
pub(super) fn csv(selection: &Selection, result: &NetperfResult, form: &Form) -> String {
    let selectors = blocks(selection, form).concat();
    let mut text = String::new();
    if form.headers {
        let heads = selectors
            .iter()
            .flatten()
            .map(|selector| selector.heads().join(" "));
        text = heads.collect::<Vec<_>>().join(",") + "\n";
    }
    // netperf's habit: a field without value is a comma and a blank, and the last byte of the line
    // is cut off.
    for selector in &selectors {
        match selector.and_then(|selector| selector.value(result, form)) {
            Some(value) => text.push_str(&(value + ",")),
            None => text.push_str(", "),
        }
    }
    if !selectors.is_empty() {
        text.pop();
    }
    text + "\n"
}

/// `-k`: a line for each figure that there is.
pub(super) fn keyval(selection: &Selection, result: &NetperfResult, form: &Form) -> String {
    let selectors = blocks(selection, form).concat();
    let lines = selectors.into_iter().flatten().filter_map(|selector| {
        let value = selector.value(result, form)?;
        Some(format!("{}={value}\n", selector.name()))
    });
    lines.collect()
}

/// `-O`: columns as wide as they need to be.
pub(super) fn human(selection: &Selection, result: &NetperfResult, form: &Form) -> String {
    let blocks = blocks(selection, form).into_iter();
    let texts: Vec<_> = blocks
        .map(|block| human_block(&block, result, form))
        .collect();
    texts.join("\n")
}

fn human_block(selectors: &[Option<Selector>], result: &NetperfResult, form: &Form) -> String {
    let mut lines = vec![String::new(); HEAD_LINES + 1];
    for selector in selectors {
        let heads = selector.map_or(&[][..], Selector::heads);
        let value = selector.and_then(|selector| selector.value(result, form));
        let widest_head = heads.iter().map(|word| word.len()).max().unwrap_or(0);
        let room = value.as_ref().map_or(0, |value| value.len() + 1);
        let width = widest_head.max(room) + 1;
        for (at, line) in lines.iter_mut().enumerate() {
            let word = match at {
                HEAD_LINES => value.as_deref().unwrap_or_default(),
                at => heads.get(at).copied().unwrap_or_default(),
            };
            line.push_str(&format!("{word:<width$}"));
        }
    }
    let from = if form.headers { 0 } else { HEAD_LINES };
    lines[from..].join("\n") + "\n"
}

/// The selectors of each block; none for a name that no selector has.
fn blocks(selection: &Selection, form: &Form) -> Vec<Vec<Option<Selector>>> {
    match selection {
        Selection::Usual => vec![usual(form)],
        Selection::All => [
            ("SOCKET_TYPE", "RESPONSE_SIZE"),
            ("LOCAL_CPU_UTIL", "TRANSPORT_MSS"),
            ("LOCAL_SEND_THROUGHPUT", "REMOTE_CORK"),
            ("LOCAL_SYSNAME", "COMMAND_LINE"),
        ]
        .map(|(first, last)| Selector::between(first, last).map(Some).collect())
        .into(),
        Selection::Blocks(blocks) => blocks.iter().take(SELECTORS_MOST_BLOCKS).cloned().collect(),
    }
}

/// What suits the test when nothing is selected.
fn usual(form: &Form) -> Vec<Option<Selector>> {
    let ends: &[&str] = match form.way {
        Way::Send => &["LSS_SIZE_END", "RSR_SIZE_END", "LOCAL_SEND_SIZE"],
        Way::Receive => &["RSS_SIZE_END", "LSR_SIZE_END", "REMOTE_SEND_SIZE"],
        Way::Both | Way::Connect | Way::ConnectBoth => &[
            "LSS_SIZE_END",
            "LSR_SIZE_END",
            "RSR_SIZE_END",
            "RSS_SIZE_END",
            "REQUEST_SIZE",
            "RESPONSE_SIZE",
        ],
    };
    let cpu = ["LOCAL", "REMOTE"].into_iter().flat_map(|end| {
        [
            "UTIL",
            "PERCENT_USER",
            "PERCENT_SYSTEM",
            "PERCENT_IOWAIT",
            "PERCENT_IRQ",
            "PERCENT_SWINTR",
            "METHOD",
        ]
        .map(|figure| format!("{end}_CPU_{figure}"))
    });
    let demand = ["LOCAL_SD", "REMOTE_SD", "SD_UNITS"].map(str::to_owned);
    let cost = cpu.chain(demand).filter(|_| form.any_cpu());
    let rate = ["ELAPSED_TIME", "THROUGHPUT", "THROUGHPUT_UNITS"];
    let names = ends.iter().copied().chain(rate).map(str::to_owned);
    names.chain(cost).map(|name| Selector::of(&name)).collect()
}
