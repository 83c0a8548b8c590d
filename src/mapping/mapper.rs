//! One message to its event or events.

use super::kind::{event_kind, msg, msg_code};
use super::links::Links;
use super::plan::{Plan, Source};
use super::slots::{self, NOTES, Slot, slot};
use super::tags::{Item, Names, is_secret, write_items, write_json_value, write_key};
use crate::event::{Event, Number, Span, Text, Time};
use crate::finding::SourceId;
use crate::fix::group::Place;
use crate::fix::readings::Readings;
use crate::fix::shape::{Shape, Shapes};
use crate::fix::{Field, Message};
use crate::types::decimal::DecimalError;
use crate::types::timestamp::Clock;
use crate::types::{Date, Decimal, Timestamp, digits};

/// Where a message was found.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub source: SourceId,
    pub offset: u64,
    pub line: u64,
    /// The log's own stamp, in nanoseconds.
    pub capture: Option<i64>,
    /// The separator is the one byte 0x01.
    pub is_soh: bool,
}

/// What is known of a message that is like others.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    pub shape: &'a Shape,
    /// What [`Shape::known_issues`] has read, where it found the values right.
    pub readings: Option<&'a Readings>,
}

/// A value that has no place in its column: it is null there and stays in `tags`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub tag: u32,
    pub what: &'static str,
}

/// Turns messages into events; its buffers are used again for each message.
#[derive(Default)]
pub struct Mapper {
    event: Event,
    links: Links,
    notes: [Span; NOTES.len()],
    /// The whole message is ASCII, so each of its values is UTF-8.
    is_ascii: bool,
    /// For each field: it went into a column and is left out of `tags`.
    consumed: Vec<bool>,
    /// The message in which a tag below 4096 was last seen, to notice repeats.
    seen: Vec<u32>,
    message_number: u32,
    troubles: Vec<Trouble>,
    /// By [`Shape::slot`].
    plans: Vec<Option<Box<Plan>>>,
    space: Vec<u8>,
    clock: Clock,
}

impl Mapper {
    pub fn new() -> Mapper {
        Mapper {
            seen: vec![0; 4096],
            notes: [Span::NONE; NOTES.len()],
            plans: (0..Shapes::SLOTS).map(|_| None).collect(),
            ..Mapper::default()
        }
    }

    /// Values of the last message that did not fit their columns.
    pub fn troubles(&self) -> &[Trouble] {
        &self.troubles
    }

    /// Maps a message and hands each of its events to `each`. `places` lays out the groups, or is empty without groups;
    /// with `names` the `tags` are called by them. With what is `known` of the message it goes faster.
    pub fn map(
        &mut self,
        message: &Message,
        places: &[Place],
        known: Option<Known<'_>>,
        context: Context,
        names: Option<&dyn Names>,
        mut each: impl FnMut(&Event, &Links),
    ) {
        if names.is_none()
            && let Some(known) = known
            && is_plain(message.bytes, context.is_soh)
            && self.map_by_plan(message, known, context)
        {
            self.finish(message, places, 0..message.fields.len());
            return each(&self.event, &self.links);
        }
        self.begin(context);
        self.event.tags.push(b'{');
        self.is_ascii = message.bytes.is_ascii();
        let plain = self.read_fields(message, places, names.is_none());
        let msg_type = self.event.text(Text::MsgType).bytes(message.bytes);
        if msg_code(msg_type) == msg::NEW_ORDER_LIST && places.iter().any(|p| p.depth == 1 && p.entry) {
            return self.map_list(message, places, names, each);
        }
        if !plain {
            self.event.tags.clear();
            super::tags::write_tags(&mut self.event.tags, message, places, &self.consumed, msg_type, names);
        } else {
            self.event.tags.push(b'}');
        }
        self.finish(message, places, 0..message.fields.len());
        each(&self.event, &self.links);
    }

    fn begin(&mut self, context: Context) {
        self.event.source = context.source;
        self.event.offset = context.offset;
        self.event.line = context.line;
        self.event.sub = 0;
        self.event.times = [None, None, context.capture];
        self.event.msg_seq_num = None;
        self.event.poss_dup = None;
        self.event.texts = [Span::NONE; Text::COUNT];
        self.event.numbers = [None; Number::COUNT];
        self.event.tags.clear();
        self.notes = [Span::NONE; NOTES.len()];
        self.consumed.clear();
        self.troubles.clear();
        self.message_number = self.message_number.wrapping_add(1);
        if self.message_number == 0 {
            self.seen.fill(0);
            self.message_number = 1;
        }
    }

    /// Fills columns, notes and `tags` as the plan of the shape says; false when the message departs from it.
    fn map_by_plan(&mut self, message: &Message, known: Known<'_>, context: Context) -> bool {
        self.begin(context);
        let shape = known.shape;
        let plan = match &mut self.plans[shape.slot()] {
            Some(plan) if plan.is_for(shape) => plan,
            place => place.insert(Box::new(Plan::new(shape, message))),
        };
        let event = &mut self.event;
        let value = |at: u16| message.value(&message.fields[usize::from(at)]);
        let span = |at: u16| {
            let field = &message.fields[usize::from(at)];
            Span { start: field.start, end: field.end }
        };
        if plan.is_void() {
            return false;
        }
        for &(at, column) in &plan.texts {
            let span = span(at);
            event.texts[usize::from(column)] = span;
            if span.start == span.end {
                return false;
            }
        }
        let read = |source: Source| known.readings.filter(|_| source.is_read)?.get(source.at);
        for &(source, column) in &plan.numbers {
            let parse = || Decimal::parse(value(source.at)).ok().map(|number| number.0);
            let Some(number) = read(source).or_else(parse) else { return false };
            event.numbers[usize::from(column)] = Some(number);
        }
        for &(at, note) in &plan.notes {
            let span = span(at);
            self.notes[usize::from(note)] = span;
            if span.start == span.end {
                return false;
            }
        }
        for (source, column) in [(plan.sending_time, Time::Sending), (plan.transact_time, Time::Transact)] {
            let Some(source) = source else { continue };
            let parse = || self.clock.parse_fix(value(source.at)).map(|time| time.0);
            let Some(nanos) = read(source).or_else(parse) else { return false };
            event.times[column as usize] = Some(nanos);
        }
        if let Some(at) = plan.seq_num {
            let Span { start, end } = span(at);
            let word = digits::trailing_in(message.bytes, start as usize, end as usize);
            event.msg_seq_num = match word.filter(|word| digits::not_digits(*word) == 0) {
                Some(word) => Some(digits::number(word) as i64),
                None => whole_number(value(at)),
            };
            if event.msg_seq_num.is_none() {
                return false;
            }
        }
        if let Some(at) = plan.poss_dup {
            event.poss_dup = flag(value(at));
            if event.poss_dup.is_none() {
                return false;
            }
        }
        plan.write_tags(message, &mut self.space, &mut event.tags);
        true
    }

    /// Fills columns and notes from the fields outside of groups, and `tags` with the rest as long as that is plain:
    /// called by number, no groups, no tag twice. True when it was.
    fn read_fields(&mut self, message: &Message, places: &[Place], numbered: bool) -> bool {
        let mut plain = numbered && places.is_empty();
        let grouped = !places.is_empty();
        for (i, field) in message.fields.iter().enumerate() {
            let consumed = !(grouped && places[i].depth > 0) && self.read_field(message, field);
            self.consumed.push(consumed);
            if consumed || !plain {
                continue;
            }
            match self.seen.get_mut(field.tag as usize) {
                Some(seen) => {
                    plain = *seen != self.message_number;
                    *seen = self.message_number;
                }
                // Too rare to keep a table for: the slow writer finds repeats itself.
                None => plain = false,
            }
            if !plain {
                continue;
            }
            write_key(&mut self.event.tags, field.tag, None);
            if matches!(field.tag, 554 | 925 | 96)
                && is_secret(field.tag, self.event.text(Text::MsgType).bytes(message.bytes))
            {
                self.event.tags.extend_from_slice(b"\"***\"");
            } else {
                write_json_value(&mut self.event.tags, message.value(field));
            }
        }
        plain
    }

    /// Puts one field into its column or note; true when a column now holds its value exactly.
    #[inline]
    fn read_field(&mut self, message: &Message, field: &Field) -> bool {
        let value = message.value(field);
        let span = Span { start: field.start, end: field.end };
        match slot(field.tag) {
            Slot::Tags => false,
            Slot::Text(column) => {
                let place = &mut self.event.texts[usize::from(column)];
                if *place != Span::NONE || value.is_empty() {
                    return false;
                }
                if !self.is_ascii && std::str::from_utf8(value).is_err() {
                    self.troubles.push(Trouble { tag: field.tag, what: "is not UTF-8" });
                    return false;
                }
                *place = span;
                true
            }
            Slot::Number(column) => {
                if self.event.numbers[usize::from(column)].is_some() {
                    return false;
                }
                let what = match Decimal::parse(value) {
                    Ok(Decimal(number)) => {
                        self.event.numbers[usize::from(column)] = Some(number);
                        return true;
                    }
                    Err(DecimalError::NotANumber) => "is not a number",
                    Err(DecimalError::DoesNotFit) => "does not fit 10 digits before and 8 after the point",
                };
                self.troubles.push(Trouble { tag: field.tag, what });
                false
            }
            Slot::MsgSeqNum => {
                let number = (self.event.msg_seq_num.is_none()).then(|| whole_number(value)).flatten();
                if number.is_none() && self.event.msg_seq_num.is_none() {
                    self.troubles.push(Trouble { tag: field.tag, what: "is not a whole number" });
                }
                self.event.msg_seq_num = self.event.msg_seq_num.or(number);
                number.is_some()
            }
            Slot::PossDup => {
                let flag = flag(value);
                let fresh = self.event.poss_dup.is_none() && flag.is_some();
                self.event.poss_dup = self.event.poss_dup.or(flag);
                fresh
            }
            Slot::SendingTime => self.read_time(Time::Sending, field.tag, value),
            Slot::TransactTime => self.read_time(Time::Transact, field.tag, value),
            Slot::Note(note) => {
                let place = &mut self.notes[usize::from(note)];
                if *place == Span::NONE && !value.is_empty() {
                    *place = span;
                }
                false
            }
        }
    }

    fn read_time(&mut self, column: Time, tag: u32, value: &[u8]) -> bool {
        let place = &mut self.event.times[column as usize];
        if place.is_some() {
            return false;
        }
        match Timestamp::parse_fix(value) {
            Some(Timestamp(nanos)) => {
                *place = Some(nanos);
                true
            }
            None => {
                self.troubles.push(Trouble { tag, what: "is not a UTC time stamp of whole nanoseconds" });
                false
            }
        }
    }

    /// What follows from the columns: kind, date and keys. `own` are the fields of this event's order.
    fn finish(&mut self, message: &Message, places: &[Place], own: std::ops::Range<usize>) {
        let bytes = message.bytes;
        let event = &mut self.event;
        let filled = event.number(Number::LastQty).is_some_and(|qty| qty > 0);
        event.kind = event_kind(
            msg_code(event.text(Text::MsgType).bytes(bytes)),
            event.text(Text::ExecType).bytes(bytes),
            self.notes[slots::EXEC_TRANS_TYPE].bytes(bytes),
            event.text(Text::OrdStatus).bytes(bytes),
            filled,
        );
        let date_of = |nanos: Option<i64>| nanos.map(|n| Timestamp(n).date());
        event.date = Date::parse_compact(self.notes[slots::TRADE_DATE].bytes(bytes))
            .or_else(|| date_of(event.times[Time::Sending as usize]))
            .or_else(|| date_of(event.times[Time::Capture as usize]));
        self.links.read(message, places, own, event, &self.notes);
    }

    /// 35=E: each entry of NoOrders(73) is an order of its own, with the message's own fields around it.
    fn map_list(
        &mut self,
        message: &Message,
        places: &[Place],
        names: Option<&dyn Names>,
        mut each: impl FnMut(&Event, &Links),
    ) {
        let message_event = self.event.clone();
        let message_notes = self.notes;
        let message_consumed = std::mem::take(&mut self.consumed);
        let around: Vec<Item> = (0..message.fields.len())
            .filter(|&i| places[i].depth == 0 && !message_consumed[i])
            .map(|i| Item { field: message.fields[i], depth: 0, entry: false })
            .collect();
        let starts: Vec<usize> = (0..places.len()).filter(|&i| places[i].depth == 1 && places[i].entry).collect();
        let msg_type = message_event.text(Text::MsgType).bytes(message.bytes);
        for (k, &start) in starts.iter().enumerate() {
            let end = start
                + 1
                + places[start + 1..].iter().take_while(|p| p.depth > 1 || (p.depth == 1 && !p.entry)).count();
            self.event = message_event.clone();
            self.event.sub = k as u32 + 1;
            self.notes = message_notes;
            // An order's own value comes before the message's.
            for (field, place) in message.fields[start..end].iter().zip(&places[start..end]) {
                match slot(field.tag) {
                    _ if place.depth != 1 => {}
                    Slot::Text(column) => self.event.texts[usize::from(column)] = Span::NONE,
                    Slot::Number(column) => self.event.numbers[usize::from(column)] = None,
                    Slot::TransactTime => self.event.times[Time::Transact as usize] = None,
                    Slot::Note(note) => self.notes[usize::from(note)] = Span::NONE,
                    _ => {}
                }
            }
            let mut items = around.clone();
            for (&field, place) in message.fields[start..end].iter().zip(&places[start..end]) {
                if place.depth != 1 || !self.read_field(message, &field) {
                    items.push(Item { field, depth: place.depth - 1, entry: place.entry && place.depth > 1 });
                }
            }
            self.event.tags.clear();
            write_items(&mut self.event.tags, message, &items, msg_type, names);
            self.finish(message, places, start..end);
            each(&self.event, &self.links);
        }
        self.consumed = message_consumed;
    }
}

/// Printable ASCII apart from separators, and nothing that JSON escapes: then a value may be copied as it stands.
fn is_plain(bytes: &[u8], is_soh: bool) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_wide_lanes(bytes: &[u8], is_soh: bool) -> bool {
            looks_plain(bytes, is_soh)
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the instructions.
            return unsafe { with_wide_lanes(bytes, is_soh) };
        }
    }
    looks_plain(bytes, is_soh)
}

#[inline(always)]
fn looks_plain(bytes: &[u8], is_soh: bool) -> bool {
    let separator = if is_soh { 1 } else { b' ' };
    let wrong = |b: u8| (b < b' ') & (b != separator) | (b >= 0x7f) | (b == b'"') | (b == b'\\');
    let any = |bytes: &[u8]| bytes.iter().fold(0, |other, &b| other | u8::from(wrong(b)));
    // The last 32 bytes are looked at as a whole, even where some of them have been before.
    match bytes.last_chunk::<32>() {
        Some(last) => bytes.as_chunks::<32>().0.iter().chain([last]).fold(0, |other, part| other | any(part)) == 0,
        None => any(bytes) == 0,
    }
}

fn flag(value: &[u8]) -> Option<bool> {
    match value {
        b"Y" => Some(true),
        b"N" => Some(false),
        _ => None,
    }
}

/// A whole number without sign of at most 18 digits.
#[inline]
fn whole_number(text: &[u8]) -> Option<i64> {
    if let Some(word) = digits::trailing(text) {
        return (digits::not_digits(word) == 0).then(|| digits::number(word) as i64);
    }
    if text.is_empty() || text.len() > 18 || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(text.iter().fold(0i64, |n, b| n * 10 + i64::from(b - b'0')))
}
