//! A part cut into pieces by bucket: events that no key connects may be linked apart.

use super::names::Names;
use super::part::{Correction, Entry, NONE, ParentRef, Part, by_partition, starts_of};
use crate::event::key::TextRef;

impl Part {
    /// The pieces, ascending by bucket; `buckets` has the bucket of each component. Whatever was in some order in the
    /// part is in the same order in its piece.
    pub fn split(&self, buckets: &[u32]) -> Vec<(u32, Part)> {
        let mut numbers: Vec<u32> = buckets.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let piece_of: Vec<u32> = buckets.iter().map(|b| numbers.partition_point(|n| n < b) as u32).collect();
        let mut pieces: Vec<Piece> = numbers.iter().map(|_| Piece::new(self.names.len())).collect();
        let new_components: Vec<u32> = piece_of.iter().map(|&piece| pieces[piece as usize].new_component()).collect();
        let mut new_events = Vec::with_capacity(self.events.len());
        for &component in &self.components {
            let piece = &mut pieces[piece_of[component as usize] as usize];
            new_events.push(piece.events);
            piece.events += 1;
        }
        let new_entries: Vec<u32> = self
            .entries
            .iter()
            .map(|entry| {
                let piece = &mut pieces[piece_of[entry.node as usize] as usize];
                let (scope, text) = (piece.name(&self.names, entry.scope), piece.text(self, entry.text));
                let (head, node) = (new_events[entry.head as usize], new_components[entry.node as usize]);
                piece.entries.push(Entry { scope, text, head, node, ..*entry });
                piece.entries.len() as u32 - 1
            })
            .collect();
        let mut corrections = self.corrections.iter().peekable();
        for (local, &component) in (0u32..).zip(&self.components) {
            let piece = &mut pieces[piece_of[component as usize] as usize];
            let mut event = self.events[local as usize];
            event.orderer = piece.name(&self.names, event.orderer);
            event.receiver = piece.name(&self.names, event.receiver);
            event.symbol = piece.name(&self.names, event.symbol);
            (event.uses, event.refs) = (piece.part.uses.len() as u32, piece.part.refs.len() as u32);
            let new = new_events[local as usize];
            let uses = self.use_range(local);
            for packed in &self.uses[uses.start as usize..uses.end as usize] {
                piece.part.uses.push(new_entries[(packed >> 2) as usize] << 2 | packed & 3);
            }
            let refs = self.refs(local);
            for reference in &self.refs[refs.start as usize..refs.end as usize] {
                let text = piece.text(self, reference.text);
                piece.part.refs.push(ParentRef { event: new, text, ..*reference });
            }
            while let Some(correction) = corrections.next_if(|c| c.event == local) {
                let text = piece.text(self, correction.text);
                piece.part.corrections.push(Correction { event: new, text, ..*correction });
            }
            piece.part.components.push(new_components[component as usize]);
            piece.part.events.push(event);
        }
        numbers.into_iter().zip(pieces).map(|(number, piece)| (number, piece.into_part())).collect()
    }
}

/// A piece under construction.
struct Piece {
    part: Part,
    entries: Vec<Entry>,
    events: u32,
    /// The number here of each name there, or [`NONE`].
    names: Vec<u32>,
}

impl Piece {
    fn new(names: usize) -> Piece {
        Piece { part: Part::default(), entries: Vec::new(), events: 0, names: vec![NONE; names] }
    }

    fn new_component(&mut self) -> u32 {
        self.part.component_count += 1;
        self.part.component_count - 1
    }

    fn name(&mut self, names: &Names, number: u32) -> u32 {
        let new = &mut self.names[number as usize];
        if *new == NONE {
            *new = self.part.names.number(names.get(number));
        }
        *new
    }

    fn text(&mut self, whole: &Part, text: TextRef) -> TextRef {
        let start = self.part.texts.len() as u32;
        self.part.texts.extend_from_slice(whole.text(text));
        TextRef { start, len: text.len }
    }

    fn into_part(self) -> Part {
        let mut part = self.part;
        part.entry_starts = starts_of(self.entries.iter().map(|e| e.hash));
        (part.ref_starts, part.ref_order) = by_partition(part.refs.iter().map(|r| r.hash));
        part.entries = self.entries;
        part
    }
}
