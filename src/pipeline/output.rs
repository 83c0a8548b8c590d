//! Events and findings as lines of text, for a pipe or a terminal.

use super::consumer::{Consumer, Found};
use super::sequence::Sequence;
use super::tables::note_troubles;
use crate::event::{Event, Number, Text, Time};
use crate::finding::{Finding, Level, Noted};
use crate::fix::dictionary::Dictionary;
use crate::mapping::{Mapper, Names, write_json_value};
use crate::table::events::EventId;
use crate::types::{Decimal, Timestamp};
use crate::{Error, Result};
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// How events are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventFormat {
    Json { names: bool },
    Csv,
}

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingFormat {
    /// `file:offset: level: code: sentence`.
    Text,
    Json,
    Csv,
    /// Not at all; they are counted.
    None,
}

/// Where lines go, in the order of the units.
pub struct LineWriter<'a> {
    out: Mutex<Box<dyn Write + Send + 'a>>,
    sequence: Sequence<Vec<u8>>,
    error: fn(std::io::Error) -> Error,
}

impl<'a> LineWriter<'a> {
    /// `error` says what a failed write means.
    pub fn new(out: Box<dyn Write + Send + 'a>, threads: usize, error: fn(std::io::Error) -> Error) -> LineWriter<'a> {
        LineWriter { out: Mutex::new(out), sequence: Sequence::new(threads + 1), error }
    }

    fn put(&self, unit: u32, lines: Vec<u8>) -> Result<()> {
        self.sequence.put(unit, lines, |lines| self.write(&lines))
    }

    /// Writes lines at once; for what comes before or behind all units.
    ///
    /// # Errors
    /// What `error` makes of a failed write.
    pub fn write(&self, lines: &[u8]) -> Result<()> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(lines).map_err(self.error)
    }

    /// # Errors
    /// What `error` makes of a failed write.
    pub fn flush(&self) -> Result<()> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).flush().map_err(self.error)
    }
}

/// Writes findings, and events where asked for.
pub struct Lines<'w, 'a> {
    events: Option<(&'w LineWriter<'a>, EventFormat)>,
    findings: Option<(&'w LineWriter<'a>, FindingFormat)>,
    min_level: Level,
    event_lines: Vec<u8>,
    finding_lines: Vec<u8>,
    mapper: Mapper,
    id: EventId,
    made: u64,
}

impl<'w, 'a> Lines<'w, 'a> {
    pub fn new(
        events: Option<(&'w LineWriter<'a>, EventFormat)>,
        findings: Option<(&'w LineWriter<'a>, FindingFormat)>,
        min_level: Level,
    ) -> Lines<'w, 'a> {
        Lines {
            events,
            findings,
            min_level,
            event_lines: Vec::new(),
            finding_lines: Vec::new(),
            mapper: Mapper::new(),
            id: EventId::default(),
            made: 0,
        }
    }
}

impl Consumer for Lines<'_, '_> {
    fn message(&mut self, found: &Found, more: &mut Vec<Noted>) {
        let mut first_sub = None;
        if let Some((_, format)) = self.events {
            let context = found.context();
            let (lines, id, made) = (&mut self.event_lines, &mut self.id, &mut self.made);
            let dictionary = found.dictionary.filter(|_| format == EventFormat::Json { names: true });
            let dictionary = dictionary.map(DictionaryNames);
            let names = dictionary.as_ref().map(|dictionary| dictionary as &dyn Names);
            self.mapper.map(&found.message, found.places, found.known, context, names, |event, _| {
                *made += 1;
                first_sub.get_or_insert(event.sub);
                match format {
                    EventFormat::Csv => csv_line(lines, event, found, id),
                    EventFormat::Json { names } => json_line(lines, event, found, id, names),
                }
            });
            note_troubles(self.mapper.troubles(), more);
        }
        if let Some((_, format)) = self.findings {
            for noted in found.noted.iter().chain(more.iter()).filter(|noted| noted.level >= self.min_level) {
                let finding = found.finding(noted.clone(), first_sub);
                finding_line(&mut self.finding_lines, &finding, found.name, format);
            }
        }
    }

    fn take_events(&mut self) -> u64 {
        std::mem::take(&mut self.made)
    }

    fn end_unit(&mut self, unit: u32) -> Result<()> {
        if let Some((writer, _)) = self.findings {
            writer.put(unit, std::mem::take(&mut self.finding_lines))?;
        }
        if let Some((writer, _)) = self.events {
            writer.put(unit, std::mem::take(&mut self.event_lines))?;
        }
        Ok(())
    }

    fn abandon(&mut self) {
        if let Some((writer, _)) = self.findings {
            writer.sequence.stop();
        }
        if let Some((writer, _)) = self.events {
            writer.sequence.stop();
        }
    }
}

/// The first line of findings as CSV.
pub const FINDINGS_CSV_HEADER: &str = "source,offset,line,level,code,tag,text\n";

/// Appends a finding in a format.
pub fn finding_line(out: &mut Vec<u8>, finding: &Finding, source: &str, format: FindingFormat) {
    let Finding { offset, line, level, code, tag, text, .. } = finding;
    match format {
        FindingFormat::None => {}
        FindingFormat::Text => {
            // Writing to a Vec cannot fail.
            let _ = writeln!(out, "{}:{offset}: {level}: {code}: {text}", printable(source));
        }
        FindingFormat::Json => {
            out.extend_from_slice(b"{\"source\":");
            write_json_value(out, source.as_bytes());
            let _ = write!(out, ",\"offset\":{offset},\"line\":{line},\"level\":\"{level}\",\"code\":\"{code}\"");
            if *tag != 0 {
                let _ = write!(out, ",\"tag\":{tag}");
            }
            out.extend_from_slice(b",\"text\":");
            write_json_value(out, text.as_bytes());
            out.extend_from_slice(b"}\n");
        }
        FindingFormat::Csv => {
            csv_value(out, source.as_bytes());
            let _ = write!(out, ",{offset},{line},{level},{code},");
            if *tag != 0 {
                let _ = write!(out, "{tag}");
            }
            out.push(b',');
            csv_value(out, text.as_bytes());
            out.push(b'\n');
        }
    }
}

/// A name without control characters, which a terminal would obey.
fn printable(name: &str) -> std::borrow::Cow<'_, str> {
    if name.chars().any(char::is_control) { name.escape_debug().to_string().into() } else { name.into() }
}

/// The first line of events as CSV.
pub fn events_csv_header() -> String {
    let mut names = vec!["event_id", "source", "offset", "line", "date", "event_timestamp_ns"];
    names.extend(["sending_time_ns", "transact_time_ns", "capture_time_ns", "event_time", "direction", "kind"]);
    for (i, name) in Text::NAMES.into_iter().enumerate() {
        names.push(name);
        if i == 0 {
            names.extend(["msg_seq_num", "poss_dup"]);
        }
    }
    names.extend(Number::NAMES);
    names.push("tags");
    names.join(",") + "\n"
}

fn csv_value(out: &mut Vec<u8>, value: &[u8]) {
    if value.iter().any(|b| matches!(b, b',' | b'"' | b'\n' | b'\r')) {
        out.push(b'"');
        for &b in value {
            if b == b'"' {
                out.push(b'"');
            }
            out.push(b);
        }
        out.push(b'"');
    } else {
        out.extend_from_slice(value);
    }
}

fn csv_line(out: &mut Vec<u8>, event: &Event, found: &Found, id: &mut EventId) {
    let bytes = found.message.bytes;
    out.extend_from_slice(id.write(found.id_prefix, event.offset, event.sub));
    out.push(b',');
    csv_value(out, found.name.as_bytes());
    let _ = write!(out, ",{},{},", event.offset, event.line);
    if let Some(date) = event.date {
        let _ = write!(out, "{date}");
    }
    for nanos in [event.time(), event.times[0], event.times[1], event.times[2]] {
        out.push(b',');
        if let Some(nanos) = nanos {
            let _ = write!(out, "{nanos}");
        }
    }
    out.push(b',');
    if let Some(nanos) = event.time() {
        let _ = write!(out, "{}", Timestamp(nanos));
    }
    let _ = write!(out, ",{},{}", found.direction.map_or("", |d| d.as_str()), event.kind.as_str());
    for (i, span) in event.texts.iter().enumerate() {
        out.push(b',');
        csv_value(out, span.bytes(bytes));
        if i == 0 {
            out.push(b',');
            if let Some(number) = event.msg_seq_num {
                let _ = write!(out, "{number}");
            }
            out.push(b',');
            if let Some(flag) = event.poss_dup {
                let _ = write!(out, "{flag}");
            }
        }
    }
    for number in event.numbers {
        out.push(b',');
        if let Some(number) = number {
            let _ = write!(out, "{}", Decimal(number));
        }
    }
    out.push(b',');
    csv_value(out, &event.tags);
    out.push(b'\n');
}

fn json_line(out: &mut Vec<u8>, event: &Event, found: &Found, id: &mut EventId, names: bool) {
    let bytes = found.message.bytes;
    out.extend_from_slice(b"{\"event_id\":\"");
    out.extend_from_slice(id.write(found.id_prefix, event.offset, event.sub));
    out.extend_from_slice(b"\",\"source\":");
    write_json_value(out, found.name.as_bytes());
    let _ = write!(out, ",\"offset\":{},\"line\":{}", event.offset, event.line);
    if let Some(date) = event.date {
        let _ = write!(out, ",\"date\":\"{date}\"");
    }
    let times = [
        ("event_timestamp_ns", event.time()),
        ("sending_time_ns", event.times[Time::Sending as usize]),
        ("transact_time_ns", event.times[Time::Transact as usize]),
        ("capture_time_ns", event.times[Time::Capture as usize]),
    ];
    for (name, nanos) in times {
        if let Some(nanos) = nanos {
            let _ = write!(out, ",\"{name}\":{nanos}");
        }
    }
    if let Some(nanos) = event.time() {
        let _ = write!(out, ",\"event_time\":\"{}\"", Timestamp(nanos));
    }
    if let Some(direction) = found.direction {
        let _ = write!(out, ",\"direction\":\"{}\"", direction.as_str());
    }
    let _ = write!(out, ",\"kind\":\"{}\"", event.kind.as_str());
    for (i, (span, name)) in event.texts.iter().zip(Text::NAMES).enumerate() {
        if let Some(value) = span.of(bytes) {
            let _ = write!(out, ",\"{name}\":");
            write_json_value(out, value);
        }
        if i == 0 {
            if let Some(number) = event.msg_seq_num {
                let _ = write!(out, ",\"msg_seq_num\":{number}");
            }
            if let Some(flag) = event.poss_dup {
                let _ = write!(out, ",\"poss_dup\":{flag}");
            }
        }
    }
    for (number, name) in event.numbers.iter().zip(Number::NAMES) {
        if let Some(number) = number {
            let _ = write!(out, ",\"{name}\":\"{}\"", Decimal(*number));
        }
    }
    if names {
        write_labels(out, event, found);
    }
    out.extend_from_slice(b",\"tags\":");
    out.extend_from_slice(&event.tags);
    out.extend_from_slice(b"}\n");
}

/// `labels`: the words for the codes in text columns.
fn write_labels(out: &mut Vec<u8>, event: &Event, found: &Found) {
    let mut first = true;
    for (i, span) in event.texts.iter().enumerate() {
        let tag = Text::TAGS[i];
        let Some(value) = span.of(found.message.bytes) else { continue };
        let Some(label) = found.dictionary.and_then(|dictionary| dictionary.label(tag, value)) else { continue };
        out.extend_from_slice(if first { b",\"labels\":{" } else { b"," });
        first = false;
        let _ = write!(out, "\"{}\":", Text::NAMES[i]);
        write_json_value(out, label.as_bytes());
    }
    if !first {
        out.push(b'}');
    }
}

struct DictionaryNames(&'static Dictionary);

impl Names for DictionaryNames {
    fn name(&self, tag: u32) -> Option<&str> {
        self.0.field_name(tag)
    }

    fn label(&self, tag: u32, value: &[u8]) -> Option<&str> {
        self.0.label(tag, value)
    }
}
