//! What a run counts: bytes, messages, findings by code.

use crate::finding::{Finding, Level};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Counts of one worker, of one source, or of a whole run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    /// Decompressed bytes read.
    pub bytes: u64,
    pub messages: u64,
    /// Messages with a finding of level error.
    pub wrong: u64,
    /// Rows of `events` made.
    pub events: u64,
    /// Bytes of framed messages.
    pub message_bytes: u64,
    /// Line breaks, and blanks and zeros outside of messages.
    pub blank_bytes: u64,
    /// What stands in front of a message on its line.
    pub prefix_bytes: u64,
    /// Everything else outside of messages: lines without a message, text behind one.
    pub other_bytes: u64,
    /// Findings by code, with the code's level in this run.
    pub findings: BTreeMap<Cow<'static, str>, (Level, u64)>,
}

impl Counts {
    /// Counts a finding.
    pub fn finding(&mut self, code: &str, level: Level) {
        match self.findings.get_mut(code) {
            Some(entry) => {
                entry.0 = entry.0.max(level);
                entry.1 += 1;
            }
            None => {
                self.findings.insert(Cow::Owned(code.to_string()), (level, 1));
            }
        }
    }

    /// Counts a finding that is already whole.
    pub fn whole_finding(&mut self, finding: &Finding) {
        self.finding(&finding.code, finding.level);
    }

    pub fn add(&mut self, other: &Counts) {
        self.bytes += other.bytes;
        self.messages += other.messages;
        self.wrong += other.wrong;
        self.events += other.events;
        self.message_bytes += other.message_bytes;
        self.blank_bytes += other.blank_bytes;
        self.prefix_bytes += other.prefix_bytes;
        self.other_bytes += other.other_bytes;
        for (code, (level, count)) in &other.findings {
            let entry = self.findings.entry(code.clone()).or_insert((*level, 0));
            entry.0 = entry.0.max(*level);
            entry.1 += count;
        }
    }

    /// Findings at or above a level.
    pub fn at_or_above(&self, level: Level) -> u64 {
        self.findings.values().filter(|(l, _)| *l >= level).map(|(_, n)| n).sum()
    }

    /// Findings of exactly this level.
    pub fn at(&self, level: Level) -> u64 {
        self.findings.values().filter(|(l, _)| *l == level).map(|(_, n)| n).sum()
    }
}
