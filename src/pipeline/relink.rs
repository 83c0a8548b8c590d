//! The end of reading: what the linker keeps is written, and what earlier commits have kept of the orders that the new
//! events concern is linked anew with them.

use super::take_out::Tails;
use crate::Result;
use crate::link::{Before, Known, Linkage, Linker, Sources};
use crate::table::{Spool, TrailWriter};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// The index of a trail in which the linker keeps events and keys.
pub const LINKER: &str = "linker";

/// What a trail's linker has kept, if the trail has such an index.
///
/// # Errors
/// When a file cannot be opened, or is damaged.
pub fn open_known(files: &[PathBuf]) -> Result<Option<Known>> {
    let (pairs, _) = files.as_chunks::<2>();
    if pairs.is_empty() { Ok(None) } else { Known::open(pairs).map(Some) }
}

/// What there is to link now.
pub struct Relinked {
    pub linkage: Linkage,
    /// The rows of earlier events that new ones concern.
    pub before: Option<Before>,
    /// Names of the run's sources, then those of earlier ones.
    pub names: Vec<String>,
}

/// Ends the linker's files and links. `names` are those of the run's sources; `tails` are of those that are read on;
/// `link_bytes` is what may be kept in memory at a time.
///
/// # Errors
/// When something cannot be written or read back.
pub fn relink(
    mut linker: Linker,
    writer: &mut TrailWriter,
    names: &[String],
    tails: &Tails,
    known: Option<&Known>,
    spool: &Arc<Spool>,
    link_bytes: usize,
) -> Result<Relinked> {
    let dir = writer.index_dir(LINKER)?;
    let [events, keys] = ["events", "keys"].map(|stem| writer.index_file_name(stem, "lnk"));
    let grown: Vec<String> = tails.keys().cloned().collect();
    let reach = known.map(|known| known.reach(&linker, &grown)).transpose()?;
    for file in linker.keep(&dir, [&events, &keys], names, &grown)? {
        writer.add_index_file(LINKER, file);
    }
    let mut names = names.to_vec();
    let Some((known, reach)) = known.zip(reach) else {
        let linkage = linker.finish(Sources::new(&names))?;
        return Ok(Relinked { linkage, before: None, names });
    };
    let own: HashSet<String> = names.iter().cloned().collect();
    let mut others: Vec<String> = known.sources().filter(|name| !own.contains(*name)).map(str::to_string).collect();
    others.sort_unstable();
    others.dedup();
    names.append(&mut others);
    let earlier = Linker::new(link_bytes, spool.clone());
    known.give(&reach, &names, &earlier, &linker)?;
    let before = Before::of(&earlier.finish(Sources::new(&names))?, &names)?;
    let linkage = linker.finish(Sources::new(&names))?;
    Ok(Relinked { linkage, before: Some(before), names })
}
