//! From the arguments about input to a plan.

use super::args::{InputArgs, WhileReading};
use super::say;
use crate::finding::{Finding, Level};
use crate::input::{Discovered, OpenOptions, SourceSpec, discover};
use crate::pipeline::{Check, Plan};
use crate::{Error, Result};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a run is going to read, and what it cannot.
pub struct Inputs {
    pub specs: Vec<SourceSpec>,
    /// One sentence each.
    pub unreadable: Vec<String>,
}

impl InputArgs {
    /// Standard input is to be read.
    pub fn reads_stdin(&self) -> bool {
        self.inputs.is_empty() || self.inputs.iter().any(|path| path.as_os_str() == "-")
    }

    /// Worker threads: as asked for, or one per core.
    pub fn threads(&self) -> usize {
        self.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
    }

    /// Finds the sources. With `must_read`, one that cannot be read stops the run.
    ///
    /// # Errors
    /// Two equal names, or with `must_read` an unreadable input.
    pub fn find(&self, must_read: bool) -> Result<Inputs> {
        let Discovered { sources, unreadable, passed_over } = discover(&self.inputs, &self.stdin_name)?;
        for (name, what) in passed_over {
            say(&format!("{name}: passed over, it is a {what}"));
        }
        let mut sentences: Vec<String> = unreadable.iter().map(|(_, error)| error.to_string()).collect();
        if must_read && !sentences.is_empty() {
            let first = sentences.swap_remove(0);
            for sentence in sentences {
                say(&format!("error: {sentence}"));
            }
            return Err(Error::Usage(format!("{first}; nothing was written (--skip-unreadable goes on without it)")));
        }
        Ok(Inputs { specs: sources, unreadable: sentences })
    }

    /// A plan to read these sources, in units of `unit_bytes` unless the user says otherwise.
    pub fn plan(
        &self,
        specs: Vec<SourceSpec>,
        check: Check,
        wants_fields: bool,
        digest: bool,
        unit_bytes: usize,
    ) -> Plan {
        Plan {
            specs,
            threads: self.threads(),
            unit_bytes: self.unit_bytes.unwrap_or(unit_bytes),
            check,
            wants_fields,
            default_version: self.appl_version.version(),
            digest,
            open: self.open_options(),
            resumes: BTreeMap::new(),
        }
    }

    pub fn open_options(&self) -> OpenOptions {
        OpenOptions { map: !self.no_mmap, ..OpenOptions::default() }
    }
}

impl WhileReading {
    pub fn check(self) -> Check {
        match self {
            WhileReading::None => Check::Frame,
            WhileReading::Message => Check::Message,
        }
    }
}

/// The finding that stands for an input that could not be read and was passed over.
pub fn unreadable_finding(text: &str) -> Finding {
    Finding {
        code: Cow::Borrowed("input-unreadable"),
        level: Level::Error,
        source: u32::MAX,
        offset: 0,
        line: 0,
        event: None,
        tag: 0,
        text: text.into(),
    }
}
