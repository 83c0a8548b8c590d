//! What a worker hands on: one framed message with all that is known about it.

use crate::Result;
use crate::finding::{Finding, Noted, SourceId};
use crate::fix::Message;
use crate::fix::dictionary::Dictionary;
use crate::fix::group::Place;
use crate::fix::prefix::Direction;
use crate::mapping::{Context, Known};
use std::borrow::Cow;

/// A message and its surroundings.
pub struct Found<'a> {
    pub source: SourceId,
    /// The source's name, and the first 12 hex digits of its hash.
    pub name: &'a str,
    pub id_prefix: &'a str,
    /// Of `8=`, in the decompressed source.
    pub offset: u64,
    pub line: u64,
    /// The log's own stamp, in nanoseconds.
    pub capture: Option<i64>,
    pub direction: Option<Direction>,
    pub message: Message<'a>,
    /// Where BodyLength(9) starts counting and where CheckSum(10) stands, in the message's bytes.
    pub body: usize,
    pub trailer: usize,
    pub is_soh: bool,
    /// Groups laid out, or empty when there are none.
    pub places: &'a [Place],
    /// For messages like many others.
    pub known: Option<Known<'a>>,
    /// Known where fields were read.
    pub dictionary: Option<&'static Dictionary>,
    pub noted: &'a [Noted],
}

impl Found<'_> {
    /// Where the message was found, for the mapper.
    pub fn context(&self) -> Context {
        Context {
            source: self.source,
            offset: self.offset,
            line: self.line,
            capture: self.capture,
            is_soh: self.is_soh,
        }
    }

    /// A finding at this message; `sub` is the event it is about.
    pub fn finding(&self, noted: Noted, sub: Option<u32>) -> Finding {
        Finding {
            code: Cow::Borrowed(noted.code),
            level: noted.level,
            source: self.source,
            offset: self.offset,
            line: self.line,
            event: sub,
            tag: noted.tag,
            text: noted.text,
        }
    }
}

/// Takes the messages of a unit, in their order.
pub trait Consumer: Send {
    /// A unit begins; the tail of a source is read anew when the source grows.
    fn begin_unit(&mut self, _is_tail: bool) {}

    /// One message; findings that the consumer adds go to `more`.
    fn message(&mut self, found: &Found, more: &mut Vec<Noted>);
    /// Rows of events made since the last call.
    fn take_events(&mut self) -> u64 {
        0
    }

    /// All messages of a unit have been given.
    ///
    /// # Errors
    /// Trouble that stops the run, such as a full disk.
    fn end_unit(&mut self, unit: u32) -> Result<()>;

    /// The run has failed: nobody may wait for this consumer any more.
    fn abandon(&mut self) {}
}
