//! Which inputs a trail has already: nothing is taken twice, and a log that has grown is read on.

use crate::finding::{Finding, Level, SourceId};
use crate::input::{OpenOptions, Origin, SourceSpec, open};
use crate::pipeline::SourceInfo;
use crate::table::trail::{Commit, FileMark, TakenSource};
use crate::{Error, Result};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A file that was changed so shortly before it was read may have changed again without another time.
const SETTLED_NS: i64 = 2_000_000_000;

/// What an input is to a trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    New,
    /// Taken already.
    Same,
    /// Taken up to some length; reading goes on there.
    Grown {
        before: TakenSource,
    },
    /// Another content under a name that was taken; it is taken under a name of its own.
    Rewritten {
        original: String,
    },
}

/// An input and what it is to the trail.
pub struct Stood {
    pub spec: SourceSpec,
    pub standing: Standing,
    /// Length of the file as it lies on the disk; none for a pipe.
    pub bytes: Option<u64>,
}

impl Stood {
    /// An input of which nothing is known.
    pub fn new(spec: SourceSpec) -> Stood {
        Stood { bytes: mark(&spec.origin).map(|mark| mark.bytes), standing: Standing::New, spec }
    }
}

/// Compares each input with what `commit` has taken. With `check_content`, files that look unchanged are read as well.
///
/// # Errors
/// When an input cannot be read, or a pipe has the name of one that was taken.
pub fn stand(specs: Vec<SourceSpec>, commit: &Commit, open: &OpenOptions, check_content: bool) -> Result<Vec<Stood>> {
    let taken: BTreeMap<&str, &TakenSource> = commit.sources.iter().map(|s| (s.name.as_str(), s)).collect();
    let inputs: BTreeSet<String> = specs.iter().map(|spec| spec.name.clone()).collect();
    let mut all = Vec::with_capacity(specs.len());
    for spec in specs {
        let mut stood = Stood::new(spec);
        let original = stood.spec.name.clone();
        if let Some(first) = taken.get(original.as_str()) {
            // What was rewritten before has names of its own, which another input may have by itself.
            let mut others =
                (2u64..).map(|number| format!("{original}~{number}")).filter(|name| !inputs.contains(name));
            let (mut known, mut free) = (vec![*first], None);
            for name in others.by_ref() {
                match taken.get(name.as_str()) {
                    Some(other) => known.push(other),
                    None => {
                        free = Some(name);
                        break;
                    }
                }
            }
            match compare(&stood.spec, &known, open, check_content)? {
                Some((before, is_whole)) => {
                    stood.spec.name.clone_from(&before.name);
                    let grown = Standing::Grown { before: before.clone() };
                    stood.standing = if is_whole { Standing::Same } else { grown };
                }
                None => {
                    stood.spec.name = free.ok_or_else(|| Error::Usage("too many sources of one name".to_string()))?;
                    stood.standing = Standing::Rewritten { original };
                }
            }
        }
        all.push(stood);
    }
    all.sort_by(|a, b| a.spec.name.cmp(&b.spec.name));
    Ok(all)
}

/// Which of the sources that were taken an input is, and whether it is no longer than that. It is read once.
fn compare<'a>(
    spec: &SourceSpec,
    known: &[&'a TakenSource],
    options: &OpenOptions,
    check_content: bool,
) -> Result<Option<(&'a TakenSource, bool)>> {
    let Origin::Path(_) = &spec.origin else {
        let text = format!("{}: a source of this name was taken already; --stdin-name gives another", spec.name);
        return Err(Error::Usage(text));
    };
    let now = mark(&spec.origin).filter(|_| !check_content);
    if let Some(same) = known.iter().find(|known| now.is_some() && known.file == now) {
        return Ok(Some((same, true)));
    }
    let mut by_length = known.to_vec();
    by_length.sort_by_key(|known| known.bytes);
    let mut blocks = open(spec, options)?.blocks(Default::default());
    let mut found = None;
    for known in by_length {
        blocks.skip(known.bytes)?;
        if blocks.position() < known.bytes {
            break;
        }
        if blocks.digest().is_some_and(|digest| digest.to_hex().as_str() == known.digest) {
            found = Some(known);
        }
    }
    let Some(found) = found else { return Ok(None) };
    blocks.skip(found.bytes.saturating_add(1))?;
    Ok(Some((found, blocks.position() == found.bytes)))
}

/// By what a plain file is known as it lies there now.
fn mark(origin: &Origin) -> Option<FileMark> {
    let Origin::Path(path) = origin else { return None };
    let meta = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let changed = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(FileMark { bytes: meta.len(), changed_ns: i64::try_from(changed.as_nanos()).ok()? })
}

/// The same, to know it by later: none when it was changed so shortly before that it may change again within the same
/// tick of the clock.
pub fn settled_mark(origin: &Origin) -> Option<FileMark> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok().and_then(|now| i64::try_from(now.as_nanos()).ok())?;
    mark(origin).filter(|mark| mark.changed_ns.saturating_add(SETTLED_NS) < now)
}

/// A file has not changed for so long; what is no file always is.
pub fn is_settled(origin: &Origin, settle: Duration) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let changed = mark(origin).and_then(|mark| u64::try_from(mark.changed_ns).ok()).map(Duration::from_nanos);
    changed.is_none_or(|changed| changed + settle <= now)
}

/// A finding for each source that has the content of another under another name: each is an observation of its own.
pub fn same_content(
    specs: &[SourceSpec],
    infos: &[SourceInfo],
    taken: &[TakenSource],
    grown: &BTreeMap<SourceId, TakenSource>,
) -> Vec<Finding> {
    let mut by_digest: BTreeMap<&str, &str> = BTreeMap::new();
    let own: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    for source in taken.iter().filter(|source| !own.contains(&source.name.as_str())) {
        by_digest.entry(&source.digest).or_insert(&source.name);
    }
    let mut findings = Vec::new();
    for ((source, spec), info) in (0..).zip(specs).zip(infos) {
        let Some(digest) = info.digest.as_deref().filter(|_| info.bytes > 0) else { continue };
        match by_digest.get(digest) {
            Some(other) if !grown.contains_key(&source) => {
                let text = format!("has the same content as {other}: each of its messages is a second observation");
                findings.push(source_finding(source, "input-same-content", Level::Info, text));
            }
            _ => {
                by_digest.insert(digest, &spec.name);
            }
        }
    }
    findings
}

/// The finding for a source that has another content than the one of its name that was taken.
pub fn rewritten(source: SourceId, original: &str, name: &str) -> Finding {
    let text = format!("{original} does not begin any more with what was taken of it: it is taken anew as {name}");
    source_finding(source, "input-rewritten", Level::Warning, text)
}

fn source_finding(source: SourceId, code: &'static str, level: Level, text: String) -> Finding {
    let (code, text) = (Cow::Borrowed(code), text.into());
    Finding { code, level, source, offset: 0, line: 1, event: None, tag: 0, text }
}
