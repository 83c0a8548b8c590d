//! Something wrong in the data, and where. A finding never stops a run.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// How bad a finding is; ordered, so that `--fail-on` can compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Info,
    Warning,
    Error,
}

impl Level {
    /// The word used in every output.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Number of a source in this run: its place among all sources sorted by name.
pub type SourceId = u32;

/// Something wrong in the data, at a place a person can look up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// A stable code, such as `fix-body-length`; scripts match on it.
    pub code: Cow<'static, str>,
    pub level: Level,
    pub source: SourceId,
    /// Where the message starts, in bytes from the start of the decompressed input.
    pub offset: u64,
    /// Line of that place, counted from 1.
    pub line: u64,
    /// The row of the event within its message (35=E has several), or `None` when no event came of it.
    pub event: Option<u32>,
    /// The tag it is about, or 0.
    pub tag: u32,
    /// One sentence: what was found and what was expected. Lower case, no full stop.
    pub text: Arc<str>,
}

/// A finding about the message at hand: what it is, but not where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    pub code: &'static str,
    pub level: Level,
    /// 0 when it is about no tag.
    pub tag: u32,
    pub text: Arc<str>,
}
