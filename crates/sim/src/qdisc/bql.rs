//! Byte queue limits (lib/dynamic_queue_limits.c): as many bytes in the device as one completion
//! interval needs, learnt on line.

use crate::picos::Picos;

/// The state of one transmit queue, in bytes.
#[derive(Debug, Clone)]
pub struct Bql {
    queued: u64,
    completed: u64,
    limit: u64,
    last_object: u64,
    previous_overlimit: u64,
    previous_queued: u64,
    previous_last_object: u64,
    lowest_slack: u64,
    slack_since: Picos,
    hold: Picos,
    most: u64,
}

impl Default for Bql {
    fn default() -> Self {
        Self {
            queued: 0,
            completed: 0,
            limit: 0,
            last_object: 0,
            previous_overlimit: 0,
            previous_queued: 0,
            previous_last_object: 0,
            lowest_slack: u64::MAX,
            slack_since: Picos::ZERO,
            // DQL_HOLD_TIME: one second.
            hold: Picos::from_millis(1000),
            // DQL_MAX_LIMIT.
            most: (u32::MAX / 2 - 32) as u64,
        }
    }
}

impl Bql {
    /// Bytes that may still be queued; less than none: the queue is stopped.
    pub fn available(&self) -> i64 {
        (self.completed + self.limit) as i64 - self.queued as i64
    }

    /// The limit.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The driver has got so many bytes.
    pub fn send(&mut self, bytes: u64) {
        self.queued += bytes;
        self.last_object = bytes;
    }

    /// The device has sent so many bytes.
    pub fn complete(&mut self, count: u64, now: Picos) {
        let completed = self.completed + count;
        let over = self
            .queued
            .saturating_sub(self.completed)
            .saturating_sub(self.limit);
        let in_flight = self.queued - completed;
        let previous_in_flight = self.previous_queued - self.completed;
        let all_previous_done = completed >= self.previous_queued;
        let starved =
            over > 0 && in_flight == 0 || self.previous_overlimit > 0 && all_previous_done;
        if starved {
            let beyond = completed.saturating_sub(self.previous_queued);
            self.limit += beyond + self.previous_overlimit;
            self.slack_since = now;
            self.lowest_slack = u64::MAX;
        } else if in_flight > 0 && previous_in_flight > 0 && !all_previous_done {
            let slack = (self.limit + self.previous_overlimit).saturating_sub(2 * count);
            let of_last = match self.previous_overlimit > 0 {
                true => self
                    .previous_last_object
                    .saturating_sub(self.previous_overlimit),
                false => 0,
            };
            self.lowest_slack = self.lowest_slack.min(slack.max(of_last));
            if now > self.slack_since + self.hold {
                self.limit = self.limit.saturating_sub(self.lowest_slack);
                self.slack_since = now;
                self.lowest_slack = u64::MAX;
            }
        }
        self.limit = self.limit.min(self.most);
        self.previous_overlimit = over;
        self.previous_last_object = self.last_object;
        self.completed = completed;
        self.previous_queued = self.queued;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that completes every `per_round` packets of 1500 bytes needs a limit of about as
    /// many bytes, and gets it.
    #[test]
    fn the_limit_becomes_what_one_completion_interval_needs() {
        let mut bql = Bql::default();
        let (packet, per_round) = (1500, 8);
        let mut in_device = 0_u64;
        for round in 0..20_000 {
            while bql.available() >= 0 && in_device < 1000 {
                bql.send(packet);
                in_device += 1;
            }
            let done = in_device.min(per_round);
            bql.complete(done * packet, Picos::from_millis(round));
            in_device -= done;
        }
        let packets = bql.limit() / packet;
        assert!((per_round..=3 * per_round).contains(&packets), "{packets}");
    }
}
