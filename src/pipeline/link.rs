//! From an event and its keys to what the linker takes.

use super::consumer::Found;
use crate::event::key::{Facts, KeyKind, KeyUse, NO_DAY, NO_QTY, NO_TIME, Role, TextRef, key_hash};
use crate::event::{Event, Number, Span, Text};
use crate::link::Batch;
use crate::mapping::Links;
use xxhash_rust::xxh3::xxh3_64;

/// Fills a batch; its buffers are used again.
#[derive(Default)]
pub struct LinkFill {
    uses: Vec<KeyUse>,
    normal: Vec<u8>,
    /// The message whose hash this is: (source, offset).
    hashed: Option<((u32, u64), u64)>,
}

impl LinkFill {
    /// Adds an event of order flow. `row` is its row within the unit.
    pub fn add(&mut self, batch: &mut Batch, found: &Found, event: &Event, links: &Links, row: u32) {
        let bytes = found.message.bytes;
        let orderer = batch.name(links.orderer.bytes(bytes));
        let receiver = batch.name(links.receiver.bytes(bytes));
        let (orderer_hash, receiver_hash) = (batch.name_hash(orderer), batch.name_hash(receiver));
        let symbol = batch.name(event.text(Text::Symbol).bytes(bytes));
        let copy = self.copy_hash(found, event.sub);
        self.uses.clear();
        for used in &links.uses {
            let id = used.id.bytes(bytes);
            let parent = matches!(used.role, Role::Parent { .. });
            let party = if parent { orderer_hash } else { receiver_hash };
            let hash = match used.kind {
                KeyKind::Copy => key_hash(KeyKind::Copy, 0, &copy.to_le_bytes()),
                kind => key_hash(kind, party, id),
            };
            let scope = if used.kind == KeyKind::ClOrdId { orderer } else { 0 };
            self.uses.push(KeyUse { kind: used.kind, role: used.role, scope, hash, text: text_ref(used.id) });
        }
        let exec_hash = |span: Span| match span.of(bytes) {
            Some(id) if !id.is_empty() && id != b"0" => key_hash(KeyKind::ExecId, receiver_hash, id) as u64,
            _ => 0,
        };
        let one = |column| match event.text(column).bytes(bytes) {
            [byte] => *byte,
            _ => 0,
        };
        let facts = Facts {
            row,
            source: event.source,
            offset: event.offset,
            line: event.line,
            sub: event.sub,
            time: event.time().unwrap_or(NO_TIME),
            day: event.date.map_or(NO_DAY, |date| date.0),
            kind: event.kind,
            status: one(Text::OrdStatus),
            side: one(Text::Side),
            from_orderer: links.from_orderer,
            repeat: links.repeat,
            orderer,
            receiver,
            symbol,
            order_qty: event.number(Number::OrderQty).unwrap_or(NO_QTY),
            last_qty: event.number(Number::LastQty).unwrap_or(NO_QTY),
            cum_qty: event.number(Number::CumQty).unwrap_or(NO_QTY),
            exec: exec_hash(event.text(Text::ExecId)),
            exec_ref: exec_hash(links.exec_ref),
            copy,
        };
        batch.event(&facts, &self.uses, bytes);
    }

    /// Hash of everything between BodyLength(9) and CheckSum(10), separators as 0x01, so that a copy rendered with `|` is
    /// the same message. Never 0.
    fn copy_hash(&mut self, found: &Found, sub: u32) -> u64 {
        let place = (found.source, found.offset);
        let hash = match self.hashed {
            Some((known, hash)) if known == place => hash,
            _ => {
                let body = &found.message.bytes[found.body..found.trailer];
                let hash = if found.is_soh {
                    xxh3_64(body)
                } else {
                    self.normal.clear();
                    let last = found.message.fields.iter().filter(|f| (f.end as usize) <= found.trailer);
                    for field in last.filter(|f| f.start as usize >= found.body) {
                        self.normal.extend_from_slice(field.tag.to_string().as_bytes());
                        self.normal.push(b'=');
                        self.normal.extend_from_slice(found.message.value(field));
                        self.normal.push(1);
                    }
                    xxh3_64(&self.normal)
                };
                self.hashed = Some((place, hash));
                hash
            }
        };
        hash.wrapping_add(u64::from(sub)).max(1)
    }
}

fn text_ref(span: Span) -> TextRef {
    if span == Span::NONE { TextRef::default() } else { TextRef { start: span.start, len: span.end - span.start } }
}
