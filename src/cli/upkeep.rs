//! `fixtrail link --compact`, `--expire`, `--verify` and `--backup`: what is done to a trail that is there.

use super::args::LinkArgs;
use super::query::must_be_a_trail;
use super::report::Report;
use super::summary::{bytes, plural};
use super::{Outcome, say};
use crate::table::maintenance::{BackedUp, Checked, Compacted, Expired, Versions, backup, compact, expire, verify};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// A file grows by merging up to so many bytes.
const MERGED_BYTES: u64 = 256 << 20;

/// What was done: a line for a person, numbers for the report.
struct Done {
    text: String,
    written: BTreeMap<&'static str, u64>,
    outcome: Outcome,
}

/// Does the one thing that was asked for; none when `args` ask for linking.
///
/// # Errors
/// Trouble that stops the run.
pub fn run(args: &LinkArgs) -> Result<Option<Outcome>> {
    let upkeep = &args.upkeep;
    if !upkeep.is_asked_for() {
        return Ok(None);
    }
    let [trail] = args.input.inputs.as_slice() else {
        return Err(Error::Usage("name the one trail, such as `fixtrail link --verify trail/`".to_string()));
    };
    if args.all_versions && !upkeep.verify && upkeep.backup.is_none() {
        return Err(Error::Usage("--all-versions goes with --verify or --backup".to_string()));
    }
    must_be_a_trail(trail)?;
    let started = Instant::now();
    let which = if args.all_versions { Versions::All } else { Versions::Latest };
    let wait = args.make.wait;
    let done = if let Some(keep) = upkeep.expire {
        expired(expire(trail, keep.0, wait)?)
    } else if let Some(to) = &upkeep.backup {
        backed_up(backup(trail, to, which, wait)?, to)
    } else if upkeep.compact {
        compacted(compact(trail, MERGED_BYTES, wait)?)
    } else {
        let checked = verify(trail, which, wait)?;
        print_damage(&checked)?;
        verified(&checked)
    };
    let seconds = started.elapsed().as_secs_f64();
    if !args.make.run.quiet {
        say(&format!("{}: {}; {seconds:.1} s", trail.display(), done.text));
    }
    if let Some(path) = &args.make.run.report {
        let settings = [(upkeep.name(), trail.display().to_string()), ("all_versions", args.all_versions.to_string())];
        let report = Report { seconds, written: done.written, ..Report::new("link", &settings) };
        report.write(path)?;
    }
    Ok(Some(done.outcome))
}

fn expired(done: Expired) -> Done {
    let Expired { versions, files, bytes: size, kept } = done;
    Done {
        text: format!(
            "{} dropped, {} removed ({}), {} kept",
            plural(versions, "version"),
            plural(files, "file"),
            bytes(size),
            plural(kept, "version")
        ),
        written: [
            ("versions_dropped", versions),
            ("files_removed", files),
            ("bytes_removed", size),
            ("versions", kept),
        ]
        .into(),
        outcome: Outcome::Clean,
    }
}

fn backed_up(done: BackedUp, to: &Path) -> Done {
    let BackedUp { versions, files, present, linked, copied_bytes } = done;
    let copied = files - present - linked;
    Done {
        text: format!(
            "{} in {}: {}, {present} there already, {linked} linked, {copied} copied ({})",
            plural(versions, "version"),
            to.display(),
            plural(files, "file"),
            bytes(copied_bytes)
        ),
        written: [
            ("versions", versions),
            ("files", files),
            ("files_present", present),
            ("files_linked", linked),
            ("bytes", copied_bytes),
        ]
        .into(),
        outcome: Outcome::Clean,
    }
}

fn compacted(done: Compacted) -> Done {
    let text = match done.version {
        None => "nothing to merge".to_string(),
        Some(version) => format!(
            "{} merged into {} ({}), version {version}",
            plural(done.merged, "file"),
            done.into,
            bytes(done.bytes)
        ),
    };
    let written = [("files_merged", done.merged), ("files", done.into), ("bytes", done.bytes)].into();
    Done { text, written, outcome: Outcome::Clean }
}

fn verified(checked: &Checked) -> Done {
    let damage = checked.damage.len() as u64;
    Done {
        text: format!(
            "{} in {} checked ({}), {}",
            plural(checked.files, "file"),
            plural(checked.versions, "version"),
            bytes(checked.bytes),
            if damage == 0 { "all sound".to_string() } else { plural(damage, "finding") }
        ),
        written: [
            ("versions", checked.versions),
            ("files", checked.files),
            ("bytes", checked.bytes),
            ("findings", damage),
        ]
        .into(),
        outcome: if damage == 0 { Outcome::Clean } else { Outcome::Findings },
    }
}

fn print_damage(checked: &Checked) -> Result<()> {
    let mut out = io::stdout().lock();
    for damage in &checked.damage {
        writeln!(out, "{}: error: {}: {}", damage.path.display(), damage.code, damage.text).map_err(Error::stdout)?;
    }
    out.flush().map_err(Error::stdout)
}
