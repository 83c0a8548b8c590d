//! Where messages lie in a stream of bytes: `8=FIX` found anywhere, the end by BodyLength(9), else by walking the fields.
//!
//! [`next`] looks only at the bytes it is given and says [`Step::More`] when its answer would depend on bytes that are
//! not there yet, so a stream cut into blocks of any size frames as the whole does.

use super::data_fields::data_tag;
use super::separator::Separator;
use memchr::{memchr2, memmem};
use std::sync::OnceLock;

/// A BodyLength beyond this many bytes is not believed, and a message without a trailer ends here at the latest.
pub const MAX_MESSAGE: usize = 16 << 20;

const BEGIN: &[u8] = b"8=FIX";
/// `8=FIXT.1.1`, two separators, `9=` with 20 digits and `35=`: a header is decided within this many bytes.
const HEADER: usize = 64;

/// One message's place in the bytes given to [`next`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Where the `8` of BeginString(8) stands.
    pub start: usize,
    /// Behind the last byte of the message, its last separator included.
    pub end: usize,
    /// Where BodyLength(9) starts counting, normally at `35=`.
    pub body: usize,
    /// Where `10=` stands, or `end` when there is no trailer.
    pub trailer: usize,
    pub separator: Separator,
    pub verdict: Verdict,
}

/// What framing found, before any sum is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// BodyLength(9) leads to CheckSum(10).
    Good,
    /// There is a trailer, but BodyLength(9) counts to another place.
    BodyLength { stated: u64, counted: u64 },
    /// There is a trailer, but no readable BodyLength(9) in second place.
    NoBodyLength,
    /// BodyLength(9) is right once line breaks inside the message are left out.
    Split,
    /// The line or the input ends before CheckSum(10).
    Truncated,
    /// Another message begins before CheckSum(10).
    Interleaved,
}

/// The answer of [`next`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Frame(Frame),
    /// Undecided: call again with more bytes, of which those from here on are still needed.
    More(usize),
    /// No further message in these bytes, which are the last.
    Done,
}

/// The next message at or after `from`, which is the start of the input, the end of a message or what [`Step::More`]
/// said. `at_end` says that no bytes will follow these.
pub fn next(bytes: &[u8], from: usize, at_end: bool) -> Step {
    let Some(start) = find_begin(bytes, from) else {
        return if at_end { Step::Done } else { Step::More(undecided_tail(bytes, from)) };
    };
    if !at_end && bytes.len() - start < HEADER {
        return Step::More(start);
    }
    let header = read_header(bytes, start);
    if let Header::Full { separator, body, length } = header
        && let Some(step) = by_body_length(bytes, start, separator, body, length, at_end)
    {
        return step;
    }
    by_walking(bytes, start, header, at_end)
}

/// A finder that is made once: making one costs as much as a short search.
fn begin_finder() -> &'static memmem::Finder<'static> {
    static FINDER: OnceLock<memmem::Finder<'static>> = OnceLock::new();
    FINDER.get_or_init(|| memmem::Finder::new(BEGIN))
}

/// `8=FIX` right at `from`, or later where it is not the tail of a longer tag such as `108=FIX`.
fn find_begin(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    if rest.starts_with(BEGIN) {
        return Some(from);
    }
    // One message a line, nearly always.
    if rest.strip_prefix(b"\n").is_some_and(|line| line.starts_with(BEGIN)) {
        return Some(from + 1);
    }
    let mut at = from;
    loop {
        at += begin_finder().find(&bytes[at..])?;
        if !bytes[at - 1].is_ascii_digit() {
            return Some(at);
        }
        at += 1;
    }
}

/// Where to look again once more bytes have come: the last ones may be the first of a `8=FIX`, and the one before them
/// tells whether it is the tail of a longer tag.
fn undecided_tail(bytes: &[u8], from: usize) -> usize {
    let tail = bytes.len().saturating_sub(BEGIN.len() - 1);
    if tail <= from {
        from
    } else if bytes[tail - 1..].starts_with(BEGIN) {
        tail
    } else {
        tail - 1
    }
}

enum Header {
    /// BeginString, BodyLength and the start of the body.
    Full { separator: Separator, body: usize, length: u64 },
    /// Only BeginString and what seems to be a separator; fields start at `body`.
    Bare { separator: Separator, body: usize },
    /// Nothing that looks like a field follows.
    None { body: usize },
}

fn read_header(bytes: &[u8], start: usize) -> Header {
    if let Some(header) = read_usual_header(bytes, start) {
        return header;
    }
    let window = &bytes[start..bytes.len().min(start + HEADER)];
    let value_end =
        window[2..].iter().position(|b| !(b.is_ascii_alphanumeric() || *b == b'.')).map_or(window.len(), |i| i + 2);
    let Some(nine) = gap(window, value_end, |rest| rest.starts_with(b"9=")) else {
        let tag = gap(window, value_end, |rest| {
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            digits > 0 && rest.get(digits) == Some(&b'=')
        });
        return match tag.and_then(|at| Some((Separator::new(&window[value_end..at])?, at))) {
            Some((separator, at)) => Header::Bare { separator, body: start + at },
            None => Header::None { body: start + value_end },
        };
    };
    let digits = nine + 2;
    let digits_end = digits + window[digits..].iter().take_while(|b| b.is_ascii_digit()).count();
    if let Some(body) = gap(window, digits_end, |rest| rest.starts_with(b"35="))
        && let Some(separator) = Separator::new(&window[digits_end..body])
        && (1..=18).contains(&(digits_end - digits))
    {
        let length = window[digits..digits_end].iter().fold(0u64, |n, b| n * 10 + u64::from(b - b'0'));
        return Header::Full { separator, body: start + body, length };
    }
    match Separator::new(&window[value_end..nine]) {
        Some(separator) => Header::Bare { separator, body: start + nine },
        None => Header::None { body: start + value_end },
    }
}

/// The header nearly every message has, `8=FIX.4.4` or `8=FIXT.1.1`, `9=`, digits and `35=` with one byte between them;
/// the same answer as the search in [`read_header`] gives, in fewer steps.
fn read_usual_header(bytes: &[u8], start: usize) -> Option<Header> {
    let head = bytes.get(start..start + HEADER)?;
    let at = if head.starts_with(b"8=FIX.4.") && head[8].is_ascii_digit() {
        9
    } else if head.starts_with(b"8=FIXT.1.1") {
        10
    } else {
        return None;
    };
    let sep = head[at];
    if sep.is_ascii_alphanumeric() || sep == b'.' || head[at + 1] != b'9' || head[at + 2] != b'=' {
        return None;
    }
    let digits = at + 3;
    let count = head[digits..digits + 7].iter().take_while(|b| b.is_ascii_digit()).count();
    let end = digits + count;
    if count == 0 || head[end] != sep || !head[end + 1..].starts_with(b"35=") {
        return None;
    }
    let length = head[digits..end].iter().fold(0u64, |n, b| n * 10 + u64::from(b - b'0'));
    Some(Header::Full { separator: Separator::new(&[sep])?, body: start + end + 1, length })
}

/// The first place one to [`Separator::MAX`] bytes behind `from` where `found` holds.
fn gap(window: &[u8], from: usize, found: impl Fn(&[u8]) -> bool) -> Option<usize> {
    (from + 1..=from + Separator::MAX).find(|&at| at < window.len() && found(&window[at..]))
}

/// The frame that BodyLength(9) describes, if CheckSum(10) stands where it says.
fn by_body_length(
    bytes: &[u8],
    start: usize,
    separator: Separator,
    body: usize,
    length: u64,
    at_end: bool,
) -> Option<Step> {
    if length > MAX_MESSAGE as u64 {
        return None;
    }
    let length = length as usize;
    if let Some(single) = separator.single()
        && let Some(step) = usual_trailer(bytes, start, separator, single, body, length)
    {
        return Some(step);
    }
    let sep = separator.as_bytes();
    let trailer = if sep.len() == 1 {
        body + length
    } else {
        match behind_restored(bytes, body, sep, length) {
            Some(trailer) => trailer,
            None if at_end => return None,
            None => return Some(Step::More(start)),
        }
    };
    // `10=`, three digits and the byte behind them decide.
    if trailer + 6 + sep.len() > bytes.len() && !at_end {
        return Some(Step::More(start));
    }
    if length == 0 || trailer > bytes.len() || !bytes[..trailer].ends_with(sep) {
        return None;
    }
    let end = trailer_end(bytes, trailer, sep)?;
    Some(Step::Frame(Frame { start, end, body, trailer, separator, verdict: Verdict::Good }))
}

/// The frame whose trailer is `10=`, three digits and the separator of one byte, as nearly all are.
fn usual_trailer(
    bytes: &[u8],
    start: usize,
    separator: Separator,
    single: u8,
    body: usize,
    length: usize,
) -> Option<Step> {
    let trailer = body + length;
    let [before, b'1', b'0', b'=', a, b, c, behind] = *bytes.get(trailer - 1..trailer + 7)? else { return None };
    let is_usual = length > 0
        && before == single
        && behind == single
        && a.is_ascii_digit()
        && b.is_ascii_digit()
        && c.is_ascii_digit();
    let frame = Frame { start, end: trailer + 7, body, trailer, separator, verdict: Verdict::Good };
    is_usual.then_some(Step::Frame(frame))
}

/// The place where `length` bytes of the body are over when each separator of several bytes counts as one.
fn behind_restored(bytes: &[u8], body: usize, sep: &[u8], length: usize) -> Option<usize> {
    let (mut at, mut left) = (body, length);
    loop {
        let window = &bytes[at.min(bytes.len())..bytes.len().min(at + left + sep.len())];
        match memmem::find(window, sep) {
            Some(i) if i < left => {
                at += i + sep.len();
                left -= i + 1;
            }
            _ => return (at + left <= bytes.len()).then_some(at + left),
        }
        if left == 0 {
            return Some(at);
        }
    }
}

/// The end of the trailer `10=` + one to three digits + separator that starts here; the separator may be missing.
fn trailer_end(bytes: &[u8], trailer: usize, sep: &[u8]) -> Option<usize> {
    let rest = bytes.get(trailer..)?.strip_prefix(b"10=")?;
    let digits = rest.iter().take(4).take_while(|b| b.is_ascii_digit()).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    let end = trailer + 3 + digits;
    Some(if rest[digits..].starts_with(sep) { end + sep.len() } else { end })
}

/// Where a walk over fields came to its end.
enum Walk {
    Trailer { at: usize, end: usize },
    Stopped,
    Undecided,
}

/// The frame of a message whose BodyLength(9) does not lead to its end: up to CheckSum(10), the line's end or the next
/// message, whichever comes first.
fn by_walking(bytes: &[u8], start: usize, header: Header, at_end: bool) -> Step {
    let (separator, body, stated) = match header {
        Header::Full { separator, body, length } => (separator, body, Some(length)),
        Header::Bare { separator, body } => (separator, body, None),
        Header::None { body } => (Separator::SOH, body, None),
    };
    let window_end = bytes.len().min(start + MAX_MESSAGE);
    let complete = at_end || window_end < bytes.len();
    let window = &bytes[..window_end];
    let (walk, begin) = walk(window, body, separator);
    // Without a next message in sight, bytes to come could still hold the trailer or the end of the line.
    if let Walk::Undecided = walk
        && !complete
    {
        return Step::More(start);
    }
    let frame = |end, trailer, verdict| Step::Frame(Frame { start, end, body, trailer, separator, verdict });
    let line_end =
        memchr2(b'\n', b'\r', &window[body.min(window.len())..begin.max(body).min(window.len())]).map(|i| body + i);
    if let Walk::Trailer { at, end } = walk {
        if !complete && end + Separator::MAX + 1 > window.len() {
            return Step::More(start);
        }
        let breaks = |range: &[u8]| range.iter().filter(|b| matches!(b, b'\n' | b'\r')).count();
        let counted = restored_len(&window[body..at], separator.as_bytes());
        match (line_end, stated) {
            (Some(line_end), Some(stated)) if line_end < at => {
                if counted - breaks(&window[body..at]) as u64 == stated {
                    return frame(end, at, Verdict::Split);
                }
            }
            (Some(line_end), None) if line_end < at => {}
            (_, Some(stated)) => return frame(end, at, Verdict::BodyLength { stated, counted }),
            (_, None) => return frame(end, at, Verdict::NoBodyLength),
        }
    }
    match line_end {
        Some(end) => frame(end, end, Verdict::Truncated),
        None if begin < window.len() => frame(begin, begin, Verdict::Interleaved),
        None => frame(window.len(), window.len(), Verdict::Truncated),
    }
}

/// Walks the fields from `body` to CheckSum(10). Also gives where the next message begins: nothing from there on
/// belongs to this one, except inside a data field whose length tag says so.
fn walk(window: &[u8], body: usize, separator: Separator) -> (Walk, usize) {
    let sep = separator.as_bytes();
    let next_begin = |from: usize| find_begin(window, from).unwrap_or(window.len());
    let mut begin = next_begin(body);
    let mut at = body;
    let mut data: Option<(u32, usize)> = None;
    loop {
        if at >= begin {
            return (if begin < window.len() { Walk::Stopped } else { Walk::Undecided }, begin);
        }
        if window[at..].starts_with(b"10=")
            && let Some(end) = trailer_end(window, at, sep)
        {
            return (Walk::Trailer { at, end }, begin);
        }
        let digits = window[at..begin].iter().take(6).take_while(|b| b.is_ascii_digit()).count();
        let tag = window[at..at + digits].iter().fold(0u32, |n, b| n * 10 + u32::from(b - b'0'));
        let value = at + digits + 1;
        if let Some((data_tag, length)) = data.take()
            && data_tag == tag
            && window.get(at + digits) == Some(&b'=')
            && let Some(end) = value.checked_add(length)
            && window.get(end..).is_some_and(|rest| rest.starts_with(sep))
        {
            at = end + sep.len();
            if at > begin {
                begin = next_begin(at);
            }
            continue;
        }
        let Some(end) = memmem::find(&window[at..begin], sep).map(|i| at + i) else {
            return (if begin < window.len() { Walk::Stopped } else { Walk::Undecided }, begin);
        };
        if let Some(data_tag) = data_tag(tag) {
            data = window.get(value..end).and_then(read_length).map(|length| (data_tag, length));
        }
        at = end + sep.len();
    }
}

/// A length as a length tag holds it, of at most nine digits.
pub(super) fn read_length(text: &[u8]) -> Option<usize> {
    if text.is_empty() || text.len() > 9 || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(text.iter().fold(0usize, |n, b| n * 10 + usize::from(b - b'0')))
}

/// Length in bytes when each separator of several bytes counts as the one byte it stands for.
fn restored_len(bytes: &[u8], sep: &[u8]) -> u64 {
    let extra = if sep.len() == 1 { 0 } else { memmem::find_iter(bytes, sep).count() * (sep.len() - 1) };
    (bytes.len() - extra) as u64
}
