//! An event of a part given to a batch again.

use super::batch::Batch;
use super::part::{Event, Part, UNTIMED, Use};
use crate::event::key::{Facts, KeyKind, KeyUse, NO_TIME, Role, TextRef};

/// Working memory.
#[derive(Default)]
pub(super) struct Replay {
    uses: Vec<KeyUse>,
}

impl Replay {
    /// Gives event `local` of a part to a batch, as row `row` of source `source`.
    pub fn event(&mut self, part: &Part, local: u32, source: u32, row: u32, batch: &mut Batch) {
        let event = &part.events[local as usize];
        let mut name = |number: u32| batch.name(part.names.get(number));
        let (orderer, receiver, symbol) = (name(event.orderer), name(event.receiver), name(event.symbol));
        self.uses.clear();
        for used in part.uses(local) {
            let entry = &part.entries[used.entry as usize];
            let role = match used.role {
                Use::ASSIGNS => Role::Assigns,
                Use::PREDECESSOR => Role::Predecessor,
                _ => Role::Mentions,
            };
            let scope = name(entry.scope);
            self.uses.push(KeyUse { kind: entry.kind, role, scope, hash: whole(entry.hash), text: entry.text });
        }
        let refs = part.refs(local);
        for reference in &part.refs[refs.start as usize..refs.end as usize] {
            let role = Role::Parent { slot: reference.slot, rank: reference.rank, expect: reference.expect };
            let (kind, text) = (reference.kind, reference.text);
            self.uses.push(KeyUse { kind, role, scope: 0, hash: whole(reference.hash), text });
        }
        let correction = part.correction(local);
        if let Some(correction) = correction {
            let (kind, role) = (KeyKind::ExecId, Role::Corrects);
            let hash = u128::from(correction.exec_ref);
            self.uses.push(KeyUse { kind, role, scope: 0, hash, text: correction.text });
        }
        let facts = Facts {
            row,
            source,
            offset: event.offset,
            line: event.line,
            sub: event.sub,
            time: if event.time == UNTIMED { NO_TIME } else { event.time },
            day: event.day,
            kind: event.kind,
            status: event.status,
            side: event.side,
            from_orderer: false,
            repeat: event.repeat,
            orderer,
            receiver,
            symbol,
            order_qty: event.order_qty,
            last_qty: event.last_qty,
            cum_qty: event.cum_qty,
            exec: event.exec,
            exec_ref: correction.map_or(0, |c| c.exec_ref),
            copy: event.copy,
        };
        batch.event(&facts, &self.uses, &part.texts);
    }
}

fn whole([high, low]: [u64; 2]) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// True when every place in a part that bytes on disk have told is within the part.
pub(super) fn is_sound(part: &Part) -> bool {
    let texts = part.texts.len() as u64;
    let within = |text: TextRef| u64::from(text.start) + u64::from(text.len) <= texts;
    let (events, names) = (part.events.len() as u32, part.names.len() as u32);
    let is_ascending = |start: fn(&Event) -> u32, end: usize| {
        part.events.is_sorted_by_key(start) && part.events.last().is_none_or(|last| start(last) as usize <= end)
    };
    part.components.iter().all(|&component| component < part.component_count)
        && part.events.iter().all(|e| e.orderer < names && e.receiver < names && e.symbol < names)
        && is_ascending(|e| e.uses, part.uses.len())
        && is_ascending(|e| e.refs, part.refs.len())
        && part.uses.iter().all(|&used| ((used >> 2) as usize) < part.entries.len())
        && part
            .entries
            .iter()
            .all(|e| e.scope < names && e.head < events && e.node < part.component_count && within(e.text))
        && part.refs.iter().all(|r| r.event < events && within(r.text))
        && part.corrections.iter().all(|c| c.event < events && within(c.text))
        && part.corrections.is_sorted_by_key(|c| c.event)
}
