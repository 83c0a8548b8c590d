//! Reads the messages of a piece: frames, sums, fields, groups, checks; a consumer takes each.

use super::consumer::{Consumer, Found};
use super::scout::{PREFIX_LIMIT, Piece, lines_in};
use super::sessions::Sessions;
use super::tally::Counts;
use crate::finding::{Level, Noted};
use crate::fix::checksum::{CheckSum, check_sum};
use crate::fix::codes::{self, Code};
use crate::fix::dictionary::{BeginString, Dictionary, Version};
use crate::fix::fields::{self, WrongDataLength};
use crate::fix::frame::{Frame, Verdict};
use crate::fix::group::Groups;
use crate::fix::prefix;
use crate::fix::readings::Readings;
use crate::fix::shape::{Shape, Shapes};
use crate::fix::validate::Validator;
use crate::fix::{Field, Message};
use crate::mapping::Known;

/// How much of a message is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// Framing and sum only.
    Frame,
    /// Each message against its dictionary.
    Message,
}

/// Reads pieces; one per worker, with buffers that are used again.
pub struct Reader {
    check: Check,
    wants_fields: bool,
    wants_groups: bool,
    default_version: Version,
    fields: Vec<Field>,
    /// Room for the fields of a message whose shape is known before it is cut.
    room: Box<[Field]>,
    wrong_lengths: Vec<WrongDataLength>,
    groups: Groups,
    shapes: Shapes,
    readings: Readings,
    validator: Validator,
    noted: Vec<Noted>,
    more: Vec<Noted>,
    /// The last BeginString and its dictionary, which is nearly always the next one's too.
    last: Option<(Vec<u8>, &'static Dictionary)>,
    pub counts: Counts,
    /// (source, messages, bytes) of the pieces read since the last [`Reader::take_sources`].
    sources: Vec<(u32, u64)>,
}

impl Reader {
    /// `wants_events` says that consumers make events, so that fields and groups are needed even where nothing is checked.
    pub fn new(check: Check, wants_events: bool, default_version: Version) -> Reader {
        Reader {
            check,
            wants_fields: wants_events || check > Check::Frame,
            wants_groups: wants_events,
            default_version,
            fields: Vec::new(),
            room: vec![Field { tag: 0, start: 0, end: 0 }; Shapes::MOST_FIELDS].into(),
            wrong_lengths: Vec::new(),
            groups: Groups::new(),
            shapes: Shapes::default(),
            readings: Readings::new(wants_events),
            validator: Validator::new(),
            noted: Vec::new(),
            more: Vec::new(),
            last: None,
            counts: Counts::default(),
            sources: Vec::new(),
        }
    }

    /// Messages by source since the last call.
    pub fn take_sources(&mut self) -> Vec<(u32, u64)> {
        std::mem::take(&mut self.sources)
    }

    /// Reads a piece. `name` and `id_prefix` belong to its source.
    pub fn read(&mut self, piece: &Piece, name: &str, id_prefix: &str, consumer: &mut impl Consumer) {
        let bytes: &[u8] = &piece.block;
        let mut sessions = piece.sessions.clone();
        let mut behind = piece.start;
        let mut line = piece.line;
        let before = self.counts.messages;
        for frame in &piece.frames {
            let gap = &bytes[behind..frame.start];
            let prefix = self.gap(gap);
            line += if gap == b"\n" { 1 } else { lines_in(gap) };
            let place = Placed {
                source: piece.source,
                name,
                id_prefix,
                offset: piece.block.offset() + frame.start as u64,
                line,
                prefix,
            };
            line += self.message(bytes, frame, place, &mut sessions, consumer);
            behind = frame.end;
        }
        let rest = &bytes[behind.min(piece.stop)..piece.stop];
        self.outside(rest);
        self.counts.bytes += (piece.stop - piece.start) as u64;
        self.sources.push((piece.source, self.counts.messages - before));
    }

    /// Counts what stands between two messages and gives the end of it, which leads the second on its line.
    fn gap<'a>(&mut self, gap: &'a [u8]) -> &'a [u8] {
        if gap == b"\n" {
            self.counts.blank_bytes += 1;
            return b"";
        }
        let start = memchr::memrchr2(b'\n', b'\r', gap).map_or(0, |i| i + 1);
        self.counts.prefix_bytes += (gap.len() - start) as u64;
        match start {
            1 => {
                self.counts.blank_bytes += 1;
                &gap[1.max(gap.len().saturating_sub(PREFIX_LIMIT))..]
            }
            _ => {
                self.outside(&gap[..start]);
                // The line before may tell more: some logs put the stamp there.
                &gap[gap.len().saturating_sub(PREFIX_LIMIT)..]
            }
        }
    }

    /// Counts bytes that belong to no message.
    fn outside(&mut self, bytes: &[u8]) {
        let blank = bytes.iter().filter(|b| b.is_ascii_whitespace() || **b == 0).count() as u64;
        self.counts.blank_bytes += blank;
        self.counts.other_bytes += bytes.len() as u64 - blank;
    }

    /// Reads one message; gives the number of line breaks in it.
    fn message(
        &mut self,
        bytes: &[u8],
        frame: &Frame,
        place: Placed<'_>,
        sessions: &mut Sessions,
        consumer: &mut impl Consumer,
    ) -> u64 {
        self.counts.messages += 1;
        self.counts.message_bytes += (frame.end - frame.start) as u64;
        self.noted.clear();
        let lines = note_framing(bytes, frame, &mut self.noted);
        let own = &bytes[frame.start..frame.end];
        let mut message = Message { bytes: own, fields: &[] };
        let (mut dictionary, mut shape, mut is_read) = (None, None, false);
        if self.wants_fields {
            let cut = self.shapes.cut(own, frame.separator, &mut self.room);
            message.fields = match cut {
                Some(cut) => &self.room[..cut.count],
                None => {
                    self.wrong_lengths.clear();
                    fields::split(own, frame.separator, &mut self.fields, &mut self.wrong_lengths);
                    for wrong in &self.wrong_lengths {
                        note_data_length(wrong, &mut self.noted);
                    }
                    &self.fields
                }
            };
            let chosen = choose(&mut self.last, &message, sessions, self.default_version, &mut self.noted);
            shape = self.shapes.find_cut(cut, &message, chosen);
            if self.check == Check::Message {
                let known = shape.as_ref().and_then(|shape| shape.known_issues(&message, &mut self.readings));
                is_read = known.is_some();
                match known {
                    Some(known) => self.noted.extend_from_slice(known),
                    None => check_message(&mut self.validator, &message, chosen, shape.as_deref_mut(), &mut self.noted),
                }
            }
            dictionary = Some(chosen);
        }
        let prefix = prefix::read(place.prefix);
        let shape = shape.as_deref();
        let definition = || dictionary?.message(message.value(message.fields.get(2)?));
        let places = match shape {
            _ if !self.wants_groups => &[],
            Some(shape) => shape.places(),
            None => definition().map_or(&[][..], |definition| self.groups.lay_out(&message, definition)),
        };
        let found = Found {
            source: place.source,
            name: place.name,
            id_prefix: place.id_prefix,
            offset: place.offset,
            line: place.line,
            capture: prefix.capture.map(|t| t.0),
            direction: prefix.direction,
            message,
            body: frame.body - frame.start,
            trailer: frame.trailer - frame.start,
            is_soh: frame.separator.single() == Some(1),
            places,
            known: shape.map(|shape| Known { shape, readings: is_read.then_some(&self.readings) }),
            dictionary,
            noted: &self.noted,
        };
        self.more.clear();
        consumer.message(&found, &mut self.more);
        self.counts.events += consumer.take_events();
        let mut wrong = false;
        for noted in self.noted.iter().chain(&self.more) {
            wrong |= noted.level == Level::Error;
            self.counts.finding(noted.code, noted.level);
        }
        self.counts.wrong += u64::from(wrong);
        lines
    }
}

/// What a message's dictionary has to say, which its shape learns.
fn check_message(
    validator: &mut Validator,
    message: &Message,
    dictionary: &'static Dictionary,
    shape: Option<&mut Shape>,
    noted: &mut Vec<Noted>,
) {
    let before = noted.len();
    let mut follow = true;
    validator.check(message, dictionary, &mut |issue| {
        follow &= issue.follows_from_tags();
        noted.push(Noted { code: issue.code, level: issue.level, tag: issue.tag, text: issue.text().into() });
    });
    if let Some(shape) = shape
        && follow
    {
        shape.learn(&noted[before..]);
    }
}

/// Where a message stands, and what stands in front of it.
struct Placed<'a> {
    source: u32,
    name: &'a str,
    id_prefix: &'a str,
    offset: u64,
    line: u64,
    prefix: &'a [u8],
}

/// The dictionary of a message: by BeginString(8), for FIXT by ApplVerID(1128), the session's Logon or the default.
fn choose(
    last: &mut Option<(Vec<u8>, &'static Dictionary)>,
    message: &Message,
    sessions: &mut Sessions,
    default_version: Version,
    noted: &mut Vec<Noted>,
) -> &'static Dictionary {
    let begin = message.fields.first().map_or(&b""[..], |field| message.value(field));
    if let Some((known, dictionary)) = last
        && known == begin
    {
        return dictionary;
    }
    let dictionary = match Version::from_begin_string(begin) {
        Some(BeginString::Fix(version)) => Dictionary::get(version),
        Some(BeginString::Fixt11) => {
            if message.get(35) == Some(b"A") {
                sessions.logon(message);
            }
            let own = message.get(1128).and_then(Version::from_appl_ver_id);
            let version = own.or_else(|| sessions.version(message)).unwrap_or(default_version);
            return Dictionary::get_over_fixt(version);
        }
        None => {
            let text = format!(
                "BeginString(8) is \"{}\", expected FIX.4.0 to FIX.4.4 or FIXT.1.1; read as {}",
                begin.escape_ascii(),
                default_version.name()
            );
            noted.push(noted_as(codes::VERSION_UNKNOWN, 8, text));
            return Dictionary::get(default_version);
        }
    };
    *last = Some((begin.to_vec(), dictionary));
    dictionary
}

/// What framing and the sum have found. Gives the number of line breaks in the message.
fn note_framing(bytes: &[u8], frame: &Frame, noted: &mut Vec<Noted>) -> u64 {
    let mut note = |code: Code, tag, text| noted.push(noted_as(code, tag, text));
    match frame.verdict {
        Verdict::Good => {}
        Verdict::BodyLength { stated, counted } => {
            note(codes::BODY_LENGTH, 9, format!("BodyLength(9) is {stated}, counted {counted}"))
        }
        Verdict::NoBodyLength => {
            note(codes::BODY_LENGTH, 9, "BodyLength(9) is not the second field or not a number".to_string())
        }
        Verdict::Split => note(
            codes::SPLIT,
            0,
            "the message is split over several lines; without the line breaks its BodyLength(9) is right".to_string(),
        ),
        Verdict::Truncated => {
            note(codes::TRUNCATED, 0, "the message ends before CheckSum(10)".to_string());
        }
        Verdict::Interleaved => {
            note(codes::INTERLEAVED, 0, "another message begins before CheckSum(10) of this one".to_string())
        }
    }
    if matches!(frame.verdict, Verdict::Truncated | Verdict::Interleaved | Verdict::Split) {
        return lines_in(&bytes[frame.start..frame.end]);
    }
    let sum = check_sum(bytes, frame);
    if !sum.is_standard() || sum.digits != 3 {
        note_sum(&sum, noted);
    }
    sum.lines
}

#[cold]
fn note_sum(sum: &CheckSum, noted: &mut Vec<Noted>) {
    let Some(stated) = sum.stated else { return };
    let digits = usize::from(sum.digits);
    let (code, text) = if sum.is_standard() {
        let text = format!("CheckSum(10) has {digits} digits, expected three: {:03}", sum.standard);
        (codes::CHECKSUM_DIGITS, text)
    } else if sum.is_rendered() {
        let text = format!(
            "CheckSum(10) {stated:0digits$} is the sum of the bytes as rendered; with 0x01 as separator it is {:03}",
            sum.standard
        );
        (codes::CHECKSUM_RENDERED, text)
    } else {
        let text = format!("CheckSum(10) is {stated:0digits$}, computed {:03}", sum.standard);
        (codes::CHECKSUM, text)
    };
    noted.push(noted_as(code, 10, text));
}

fn note_data_length(wrong: &WrongDataLength, noted: &mut Vec<Noted>) {
    let WrongDataLength { length_tag, data_tag, stated, found } = *wrong;
    let text = format!("tag {length_tag} says {stated} bytes, but tag {data_tag} has {found} up to the next separator");
    noted.push(noted_as(codes::DATA_LENGTH, length_tag, text));
}

fn noted_as(code: Code, tag: u32, text: String) -> Noted {
    Noted { code: code.code, level: code.level, tag, text: text.into() }
}
