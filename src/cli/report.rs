//! `--report FILE`: a JSON summary of the run for machines.

use super::target::Target;
use crate::input::SourceSpec;
use crate::pipeline::{Counts, RunSummary};
use crate::{Error, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// What a run was asked to do, what it read and what it wrote.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    pub version: &'static str,
    pub command: &'static str,
    pub settings: BTreeMap<&'static str, String>,
    pub inputs: Vec<Input>,
    pub unreadable: Vec<String>,
    pub counts: Counts,
    pub written: BTreeMap<&'static str, u64>,
    pub seconds: f64,
}

/// One source.
#[derive(Debug, Serialize)]
pub struct Input {
    pub name: String,
    pub bytes: u64,
    pub messages: u64,
    /// BLAKE3 of the decompressed bytes, in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compression: Vec<&'static str>,
}

impl Report {
    pub fn new(command: &'static str, settings: &[(&'static str, String)]) -> Report {
        Report {
            version: env!("CARGO_PKG_VERSION"),
            command,
            settings: settings.iter().cloned().collect(),
            ..Report::default()
        }
    }

    /// Takes in what was read.
    pub fn read(&mut self, specs: &[SourceSpec], summary: &RunSummary) {
        self.counts = summary.counts.clone();
        self.inputs = specs
            .iter()
            .zip(&summary.sources)
            .zip(&summary.messages_by_source)
            .map(|((spec, info), messages)| Input {
                name: spec.name.clone(),
                bytes: info.bytes,
                messages: *messages,
                digest: info.digest.clone(),
                compression: info.compression.clone(),
            })
            .collect();
    }

    /// Writes the report beside its place and renames it when it is complete.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let target = Target::open(Some(path), true)?;
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::Usage(format!("report: {e}")))?;
        let mut file = target.writer()?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.write_all(b"\n"))
            .and_then(|()| file.flush())
            .map_err(Error::io(path, "cannot write the report"))?;
        drop(file);
        target.publish()
    }
}
