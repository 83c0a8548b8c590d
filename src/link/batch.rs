//! One unit of work on its way to the linker: events, their distinct keys, and what they join among themselves.
//!
//! Messages about one order lie near each other, so most joins are made here, in the worker, where they are cheap; the
//! linker then sees distinct keys and components only.

use super::names::Names;
use super::part::{Correction, Entry, Event, NONE, ParentRef, Part, UNTIMED, Use, by_partition};
use crate::event::key::{Facts, KeyKind, KeyUse, NO_TIME, Role, TextRef};

/// Longest identifier kept, in bytes.
const TEXT_LIMIT: usize = 4096;

/// What one unit of work (some 150,000 events in a row) gives to the linker.
pub struct Batch {
    names: Names,
    events: Vec<Event>,
    /// First node of each event; then, in a [`Part`], its component.
    nodes: Vec<u32>,
    uses: Vec<u32>,
    entries: Vec<Entry>,
    /// Entry + 1 by hash, open addressing; 0 is free.
    table: Vec<u32>,
    /// Union-find over the nodes of entries, and of events without an entry.
    parents: Vec<u32>,
    refs: Vec<ParentRef>,
    corrections: Vec<Correction>,
    texts: Vec<u8>,
}

impl Default for Batch {
    fn default() -> Batch {
        Batch {
            names: Names::default(),
            events: Vec::new(),
            nodes: Vec::new(),
            uses: Vec::new(),
            entries: Vec::new(),
            table: vec![0; 1024],
            parents: Vec::new(),
            refs: Vec::new(),
            corrections: Vec::new(),
            texts: Vec::new(),
        }
    }
}

impl Batch {
    pub fn new() -> Batch {
        Batch::default()
    }

    /// A batch with room for that many events; it grows when there are more.
    pub fn with_capacity(events: usize) -> Batch {
        Batch {
            events: Vec::with_capacity(events),
            nodes: Vec::with_capacity(events),
            uses: Vec::with_capacity(events * 2),
            table: vec![0; (events / 2).next_power_of_two().max(1024)],
            ..Batch::default()
        }
    }

    /// The number of a party's or symbol's name in this batch; 0 is the empty name.
    pub fn name(&mut self, bytes: &[u8]) -> u32 {
        self.names.number(bytes)
    }

    /// The [`xxh3_64`](xxhash_rust::xxh3::xxh3_64) of a name, by its number: what [`key_hash`](crate::event::key::key_hash)
    /// takes for a party.
    pub fn name_hash(&self, number: u32) -> u64 {
        self.names.hash(number)
    }

    /// Takes one event with its keys. `bytes` is what the keys' texts point into. Events come in canonical order, their
    /// rows ascending.
    pub fn event(&mut self, facts: &Facts, uses: &[KeyUse], bytes: &[u8]) {
        let number = self.events.len() as u32;
        let time = if facts.time == NO_TIME { UNTIMED } else { facts.time };
        let mut event = Event::new(facts, time, self.uses.len() as u32, self.refs.len() as u32);
        let mut exec_ref = facts.exec_ref;
        let mut exec_ref_text = TextRef::default();
        let mut node = NONE;
        for key in uses {
            match (key.kind, key.role) {
                (kind, Role::Parent { slot, rank, expect }) => {
                    let text = self.keep(key.text, bytes);
                    let hash = split(key.hash);
                    self.refs.push(ParentRef { hash, event: number, slot, rank, expect, kind, text });
                }
                (KeyKind::ExecId, Role::Corrects) => {
                    exec_ref = if exec_ref == 0 { key.hash as u64 } else { exec_ref };
                    exec_ref_text = key.text;
                }
                (KeyKind::ExecId, _) => event.exec = if event.exec == 0 { key.hash as u64 } else { event.exec },
                (kind, role) => {
                    let place = match role {
                        Role::Assigns => Use::ASSIGNS,
                        Role::Predecessor => Use::PREDECESSOR,
                        _ => Use::MENTIONS,
                    };
                    event.assigns_cl_ord_id |= kind == KeyKind::ClOrdId && place == Use::ASSIGNS;
                    let entry = self.entry(key, facts.day, bytes);
                    self.meet(entry, number, time, place == Use::ASSIGNS);
                    self.uses.push((entry << 2) | place);
                    let entry_node = self.entries[entry as usize].node;
                    node = if node == NONE { entry_node } else { self.union(node, entry_node) };
                }
            }
        }
        if exec_ref != 0 {
            let text = self.keep(exec_ref_text, bytes);
            event.corrects = true;
            self.corrections.push(Correction { event: number, exec_ref, text });
        }
        if node == NONE {
            node = self.new_node();
        }
        self.nodes.push(node);
        self.events.push(event);
    }

    /// Number of events so far.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    fn keep(&mut self, text: TextRef, bytes: &[u8]) -> TextRef {
        // An identifier is for people here: one of absurd length is cut, and the arena never outgrows its offsets.
        let room = (u32::MAX as usize - self.texts.len()).min(TEXT_LIMIT);
        let start = self.texts.len() as u32;
        let piece = bytes.get(text.start as usize..).and_then(|b| b.get(..text.len as usize)).unwrap_or_default();
        let piece = &piece[..piece.len().min(room)];
        self.texts.extend_from_slice(piece);
        TextRef { start, len: piece.len() as u32 }
    }

    fn new_node(&mut self) -> u32 {
        let node = self.parents.len() as u32;
        self.parents.push(node);
        node
    }

    /// The entry of a key on a day; keys that do not join have an entry for each use.
    fn entry(&mut self, key: &KeyUse, day: i32, bytes: &[u8]) -> u32 {
        let hash = split(key.hash);
        if key.kind == KeyKind::ClOrdLinkId {
            return self.new_entry(key, hash, day, bytes);
        }
        let mask = self.table.len() - 1;
        let mut slot = slot_hash(hash, key.scope, day) & mask;
        while self.table[slot] != 0 {
            let number = self.table[slot] - 1;
            let entry = &self.entries[number as usize];
            if entry.hash == hash && entry.scope == key.scope && entry.day == day {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        let number = self.new_entry(key, hash, day, bytes);
        self.table[slot] = number + 1;
        if self.entries.len() * 2 > self.table.len() {
            self.grow();
        }
        number
    }

    fn new_entry(&mut self, key: &KeyUse, hash: [u64; 2], day: i32, bytes: &[u8]) -> u32 {
        let text = self.keep(key.text, bytes);
        let node = self.new_node();
        let number = self.entries.len() as u32;
        let (scope, kind) = (key.scope, key.kind);
        self.entries.push(Entry { hash, scope, day, head: NONE, node, text, kind, is_assigned: false });
        number
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 4 - 1;
        let mut table = vec![0; mask + 1];
        for (number, entry) in self.entries.iter().enumerate().filter(|(_, e)| e.kind != KeyKind::ClOrdLinkId) {
            let mut slot = slot_hash(entry.hash, entry.scope, entry.day) & mask;
            while table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            table[slot] = number as u32 + 1;
        }
        self.table = table;
    }

    /// Keeps the earliest event that assigns the key, or the earliest of all while none does.
    fn meet(&mut self, entry: u32, event: u32, time: i64, assigns: bool) {
        let head = self.entries[entry as usize].head;
        let entry = &mut self.entries[entry as usize];
        // The event itself is not in `events` yet: a second use by the same event is never earlier.
        let is_first = match self.events.get(head as usize) {
            Some(other) => time < other.time,
            None => head == NONE,
        };
        if (assigns && !entry.is_assigned) || (assigns == entry.is_assigned && is_first) {
            entry.head = event;
            entry.is_assigned = assigns;
        }
    }

    fn find(&mut self, mut node: u32) -> u32 {
        loop {
            let parent = self.parents[node as usize];
            if parent == node {
                return node;
            }
            let grandparent = self.parents[parent as usize];
            self.parents[node as usize] = grandparent;
            node = parent;
        }
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
        a.min(b)
    }

    /// Ends the batch: components get dense numbers, entries are put in the order of partitions.
    pub(super) fn into_part(mut self) -> Part {
        self.names.rest();
        // A parent is smaller than its child and so has its component's number already.
        let mut components = 0;
        for node in 0..self.parents.len() {
            let parent = self.parents[node] as usize;
            self.parents[node] = if parent == node {
                components += 1;
                components - 1
            } else {
                self.parents[parent]
            };
        }
        self.nodes.iter_mut().for_each(|node| *node = self.parents[*node as usize]);
        let (entry_starts, entry_order) = by_partition(self.entries.iter().map(|e| e.hash));
        let mut moved_to = vec![0; entry_order.len()];
        let mut entries = Vec::with_capacity(entry_order.len());
        for (to, &from) in entry_order.iter().enumerate() {
            moved_to[from as usize] = to as u32;
            let mut entry = self.entries[from as usize];
            entry.node = self.parents[entry.node as usize];
            entries.push(entry);
        }
        self.uses.iter_mut().for_each(|u| *u = (moved_to[(*u >> 2) as usize] << 2) | (*u & 3));
        let (ref_starts, ref_order) = by_partition(self.refs.iter().map(|r| r.hash));
        self.events.shrink_to_fit();
        self.nodes.shrink_to_fit();
        self.uses.shrink_to_fit();
        self.refs.shrink_to_fit();
        self.texts.shrink_to_fit();
        Part {
            names: self.names,
            events: self.events,
            components: self.nodes,
            component_count: components,
            uses: self.uses,
            entries,
            entry_starts,
            refs: self.refs,
            ref_starts,
            ref_order,
            corrections: self.corrections,
            texts: self.texts,
        }
    }
}

fn split(hash: u128) -> [u64; 2] {
    [(hash >> 64) as u64, hash as u64]
}

fn slot_hash(hash: [u64; 2], scope: u32, day: i32) -> usize {
    let mixed = (u64::from(scope) << 32 | u64::from(day as u32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash[1] ^ (mixed >> 20)) as usize
}
