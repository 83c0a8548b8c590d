//! `query order`: an identifier comes in, the stories of the lifecycles that know it go out.
//!
//! The identifier may be a ClOrdID, OrderID or ExecID anywhere in the chain, or a lifecycle's id. Only the identifier
//! columns are searched; the other columns are read for the rows of the lifecycles found.

mod assemble;
mod grid;
mod json;
mod latency;
mod read;
mod render;
mod rows;
mod story;
#[cfg(test)]
mod tests;
mod tree;
mod words;

pub use story::{Event, EventFinding, Lifecycle, Order, Seen, Step, Story};

use super::{LiveFiles, Style};
use crate::{Error, Result};
use std::io::Write;

/// The stories of every lifecycle in which `id` is a ClOrdID, OrderID or ExecID, or which is called `id`; in order of
/// first time, none when nothing matches.
///
/// # Errors
/// When a file of the trail cannot be read.
pub fn find(files: &dyn LiveFiles, id: &str) -> Result<Vec<Story>> {
    Ok(assemble::stories(read::read(files, id)?, id))
}

impl Story {
    /// The story as an indented tree for a person, each line ended.
    pub fn render(&self, style: &Style) -> String {
        render::render(self, style)
    }

    /// The story as one JSON object in one line, without a line end.
    pub fn to_json(&self) -> String {
        json::to_json(self)
    }
}

/// Writes stories as trees, with a line that says so when there are several.
///
/// # Errors
/// When `out` refuses.
pub fn write_trees(stories: &[Story], style: &Style, out: &mut dyn Write) -> Result<()> {
    if let [first, _, ..] = stories {
        let id = super::text::clean(&first.asked);
        writeln!(out, "{} lifecycles have {id}, shown in order of first time\n", stories.len())
            .map_err(Error::stdout)?;
    }
    for (i, story) in stories.iter().enumerate() {
        let gap = if i > 0 { "\n" } else { "" };
        write!(out, "{gap}{}", story.render(style)).map_err(Error::stdout)?;
    }
    Ok(())
}

/// Writes stories as JSON, one object a line.
///
/// # Errors
/// When `out` refuses.
pub fn write_json(stories: &[Story], out: &mut dyn Write) -> Result<()> {
    for story in stories {
        writeln!(out, "{}", story.to_json()).map_err(Error::stdout)?;
    }
    Ok(())
}
