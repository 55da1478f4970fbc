//! Where each tool says what it moved.

use anyhow::{Context, Result};
use serde_json::Value;

use super::contest::{Metric, Sample};

/// Which tool's output it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The run document on the client's standard output.
    Netdyno,
    /// `bare`'s receiver, which is the server; what was sent at the client.
    BareStream,
    /// `bare`'s asking end, which is the client.
    BareAsker,
    /// iperf3's `-J` at the client.
    Iperf3,
    /// iperf 2's `-y C` at the client: what it sent, for it does not print what the peer got.
    Iperf2,
    /// netperf's `-P 0 -v 0` at the client, or a sum of them.
    NetperfRate,
    /// The same in Mbit/s.
    NetperfMbits,
    /// netperf's `-k LOCAL_SEND_CALLS,REMOTE_RECV_CALLS,ELAPSED_TIME`.
    NetperfKeys,
    /// super_netperf's `--detail`, where so many bytes a second were asked of each flow.
    NetperfDetail(u32),
}

impl Reading {
    /// Takes the figures from what the two ends printed.
    pub fn read(self, client: &str, server: &str) -> Result<Sample> {
        match self {
            Self::Netdyno => netdyno(client),
            Self::BareStream => {
                let mut sample = bare(server, &[Metric::BitsPerSecond, Metric::MessagesPerSecond])?;
                sample.extend(bare(client, &[Metric::SentMessagesPerSecond])?);
                Ok(sample)
            }
            Self::BareAsker => bare(client, &[Metric::TransactionsPerSecond]),
            Self::Iperf3 => iperf3(client),
            Self::Iperf2 => iperf2(client),
            Self::NetperfRate => netperf(client, Metric::TransactionsPerSecond, 1.0),
            Self::NetperfMbits => netperf(client, Metric::BitsPerSecond, 1e6),
            Self::NetperfKeys => netperf_keys(client),
            Self::NetperfDetail(asked) => netperf_detail(client, asked),
        }
    }
}

fn netdyno(client: &str) -> Result<Sample> {
    let document: Value =
        serde_json::from_str(client).context("netdyno printed no JSON document")?;
    let status = document["status"].as_str().unwrap_or_default();
    anyhow::ensure!(
        status == "ok",
        "netdyno's run is '{status}': {}",
        document["reason"].as_str().unwrap_or("no reason given")
    );
    let load = &document["loads"][0];
    let mut sample = Sample::new();
    for (metric, figure) in [
        (
            Metric::SentMessagesPerSecond,
            &load["sent"]["messages_per_second"],
        ),
        (Metric::BitsPerSecond, &load["received"]["bits_per_second"]),
        (
            Metric::MessagesPerSecond,
            &load["received"]["messages_per_second"],
        ),
        (
            Metric::TransactionsPerSecond,
            &load["transactions_per_second"],
        ),
    ] {
        if let Some(figure) = figure.as_f64() {
            sample.insert(metric, figure);
        }
    }
    anyhow::ensure!(
        !sample.is_empty(),
        "netdyno's document has no received figures"
    );
    Ok(sample)
}

fn bare(output: &str, metrics: &[Metric]) -> Result<Sample> {
    let tally: Value = serde_json::from_str(output).context("bare printed no tally")?;
    let figure = |key: &str| {
        tally[key]
            .as_f64()
            .with_context(|| format!("bare's tally has no {key}"))
    };
    let (bytes, messages, seconds) = (figure("bytes")?, figure("messages")?, figure("seconds")?);
    Ok(metrics
        .iter()
        .map(|metric| match metric {
            Metric::BitsPerSecond => (*metric, bytes * 8.0 / seconds),
            _ => (*metric, messages / seconds),
        })
        .collect())
}

fn iperf3(client: &str) -> Result<Sample> {
    let document: Value =
        serde_json::from_str(client).context("iperf3 printed no JSON document")?;
    if let Some(error) = document["error"].as_str() {
        anyhow::bail!("iperf3: {error}");
    }
    let received = &document["end"]["sum_received"];
    let bits = received["bits_per_second"].as_f64();
    let mut sample = Sample::from([(
        Metric::BitsPerSecond,
        bits.context("iperf3's document has no end.sum_received.bits_per_second")?,
    )]);
    // UDP only: `packets` counts those that the receiver expected.
    let packets = received["packets"].as_f64();
    let lost = received["lost_packets"].as_f64();
    let seconds = received["seconds"].as_f64();
    if let (Some(packets), Some(lost), Some(seconds)) = (packets, lost, seconds) {
        sample.insert(Metric::MessagesPerSecond, (packets - lost) / seconds);
        sample.insert(Metric::LostShare, lost / packets);
    }
    let sent = &document["end"]["sum_sent"];
    if let (Some(packets), Some(seconds)) = (sent["packets"].as_f64(), sent["seconds"].as_f64()) {
        sample.insert(Metric::SentMessagesPerSecond, packets / seconds);
    }
    Ok(sample)
}

fn iperf2(client: &str) -> Result<Sample> {
    // time,address,port,address,port,id,interval,bytes,bits per second[,jitter,…]
    let bits = client
        .lines()
        .find_map(|line| line.split(',').nth(8)?.parse().ok())
        .context("iperf printed no CSV line with a rate")?;
    Ok(Sample::from([(Metric::BitsPerSecond, bits)]))
}

/// The first word of the last line.
fn netperf(client: &str, metric: Metric, unit: f64) -> Result<Sample> {
    let rate: f64 = client
        .lines()
        .next_back()
        .and_then(|line| line.split_whitespace().next()?.parse().ok())
        .context("netperf printed no rate")?;
    Ok(Sample::from([(metric, rate * unit)]))
}

fn netperf_keys(client: &str) -> Result<Sample> {
    let figure = |key: &str| -> Result<f64> {
        let mut lines = client.lines().filter_map(|line| line.split_once('='));
        let value = lines.find(|(name, _)| *name == key).map(|(_, value)| value);
        let value = value.and_then(|value| value.parse().ok());
        value.with_context(|| format!("netperf printed no {key}"))
    };
    let seconds = figure("ELAPSED_TIME")?;
    Ok(Sample::from([
        (
            Metric::SentMessagesPerSecond,
            figure("LOCAL_SEND_CALLS")? / seconds,
        ),
        (
            Metric::MessagesPerSecond,
            figure("REMOTE_RECV_CALLS")? / seconds,
        ),
    ]))
}

/// Rows of number, address, Mbit/s, seconds and retransmits, and the sum in the end.
fn netperf_detail(client: &str, asked: u32) -> Result<Sample> {
    let row = |line: &str| -> Option<f64> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [number, _, rate, _, _] if number.parse::<u32>().is_ok() => rate.parse().ok(),
            _ => None,
        }
    };
    let asked = f64::from(asked) * 8.0 / 1e6;
    let errors = client.lines().filter_map(row);
    let worst = errors
        .map(|rate| (rate / asked - 1.0).abs())
        .reduce(f64::max)
        .context("super_netperf printed no rows")?;
    let mut sample = netperf(client, Metric::BitsPerSecond, 1e6)?;
    sample.insert(Metric::WorstRateError, worst);
    Ok(sample)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn netdyno_by_its_document() {
        let document = r#"{"status": "ok", "loads": [{"received":
            {"bits_per_second": 8e9, "messages_per_second": 1e6}, "transactions_per_second": null}]}"#;
        let sample = Reading::Netdyno.read(document, "").unwrap();
        assert_eq!(sample[&Metric::BitsPerSecond], 8e9);
        assert_eq!(sample[&Metric::MessagesPerSecond], 1e6);
        assert!(!sample.contains_key(&Metric::TransactionsPerSecond));
    }

    #[test]
    fn an_invalid_run_is_no_sample() {
        let document = r#"{"status": "invalid", "reason": "the clock stepped", "loads": []}"#;
        let error = Reading::Netdyno.read(document, "").unwrap_err().to_string();
        assert!(error.contains("the clock stepped"), "{error}");
    }

    #[test]
    fn bare_by_its_tally() {
        let tally = r#"{"bytes": 1000, "messages": 10, "seconds": 2.0}"#;
        let sent = r#"{"bytes": 2000, "messages": 20, "seconds": 2.0}"#;
        let sample = Reading::BareStream.read(sent, tally).unwrap();
        assert_eq!(sample[&Metric::SentMessagesPerSecond], 10.0);
        assert_eq!(sample[&Metric::BitsPerSecond], 4000.0);
        assert_eq!(sample[&Metric::MessagesPerSecond], 5.0);
        let sample = Reading::BareAsker.read(tally, "").unwrap();
        assert_eq!(sample[&Metric::TransactionsPerSecond], 5.0);
    }

    #[test]
    fn iperf3_counts_what_arrived() {
        let document = r#"{"end": {"sum_received":
            {"seconds": 2.0, "bits_per_second": 5e6, "packets": 110, "lost_packets": 10},
            "sum_sent": {"seconds": 2.0, "packets": 120}}}"#;
        let sample = Reading::Iperf3.read(document, "").unwrap();
        assert_eq!(sample[&Metric::MessagesPerSecond], 50.0);
        assert_eq!(sample[&Metric::SentMessagesPerSecond], 60.0);
        assert_eq!(sample[&Metric::LostShare], 10.0 / 110.0);
        assert!(Reading::Iperf3.read(r#"{"error": "busy"}"#, "").is_err());
    }

    #[test]
    fn iperf2_and_netperf() {
        let line = "20261130160522,127.0.0.1,34358,127.0.0.1,6101,1,0.0-1.0,1054780,8438240\n";
        let sample = Reading::Iperf2.read(line, "").unwrap();
        assert_eq!(sample[&Metric::BitsPerSecond], 8_438_240.0);
        let sample = Reading::NetperfRate.read("51234.56 \n", "").unwrap();
        assert_eq!(sample[&Metric::TransactionsPerSecond], 51_234.56);
        assert!(Reading::Iperf2.read("", "").is_err());
        assert!(Reading::NetperfRate.read("", "").is_err());
        let keys = "LOCAL_SEND_CALLS=300\nREMOTE_RECV_CALLS=200\nELAPSED_TIME=2.00\n";
        let sample = Reading::NetperfKeys.read(keys, "").unwrap();
        assert_eq!(sample[&Metric::SentMessagesPerSecond], 150.0);
        assert_eq!(sample[&Metric::MessagesPerSecond], 100.0);
        let rows = "  flow from 10^6bits/s elapsed retrans\n     0 a:1 0.79 1.0 0\n     1 a:2 0.81 1.0 -\n\
                    fairness\n1.6\n";
        let sample = Reading::NetperfDetail(100_000).read(rows, "").unwrap();
        assert_eq!(sample[&Metric::BitsPerSecond], 1.6e6);
        assert!((sample[&Metric::WorstRateError] - 0.0125).abs() < 1e-9);
    }
}
