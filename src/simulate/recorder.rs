//! Frames messages, damages some on purpose, and writes them to the logs of both firms, with the truth beside them.

use super::market::{Market, NO_LOG};
use super::random::Random;
use super::sink::Sink;
use super::text::{Clock, push_number, push_padded};
use super::{Plan, Prefix};
use crate::error::Result;
use crate::types::Date;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is wrong with a message on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    BadLength,
    BadChecksum,
    /// Side(54) is left out.
    MissingRequired,
    /// Side(54) is `Z`.
    BadEnum,
    /// OrderQty(38) is `12x`.
    BadType,
}

impl Fault {
    fn name(self) -> &'static [u8] {
        match self {
            Fault::None => b"none",
            Fault::BadLength => b"bad_length",
            Fault::BadChecksum => b"bad_checksum",
            Fault::MissingRequired => b"missing_required",
            Fault::BadEnum => b"bad_enum",
            Fault::BadType => b"bad_type",
        }
    }
}

/// A message that its sender repeats later with PossDupFlag(43)=Y.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Repeat {
    time: u64,
    session: u32,
    side: u8,
    seq: u64,
    msg_type: u8,
    life: u64,
    first_sent: u64,
    rest: Vec<u8>,
    cl_ord_id: Vec<u8>,
    order_id: Vec<u8>,
}

/// How many of what was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages in the logs; one that two firms logged counts twice.
    pub logged: u64,
    pub bytes: u64,
    pub faults: u64,
    pub repeats: u64,
    pub lifecycles: u64,
}

pub struct Recorder {
    pub sink: Sink,
    pub counts: Counts,
    /// The message from `35=` on, as far as it is written.
    pub body: Vec<u8>,
    /// ClOrdID(11) and OrderID(37) of the message, for the truth as well.
    pub cl_ord_id: Vec<u8>,
    pub order_id: Vec<u8>,
    pub clock: Clock,
    pub fault: Fault,
    message: Vec<u8>,
    session: u32,
    side: u8,
    seq: u64,
    msg_type: u8,
    /// SendingTime(52) by the sender's clock, and the true time.
    sent: u64,
    time: u64,
    /// Length of `body` after SendingTime(52).
    head_len: usize,
    is_repeat: bool,
    repeats: BinaryHeap<Reverse<Repeat>>,
    random: Random,
    fault_rate: f64,
    resend_rate: f64,
    has_prefix: bool,
    /// File of the day's first log; the truth and the injected faults have fixed files.
    first_log: u32,
    last_prefix: Vec<u64>,
    names: Vec<Vec<u8>>,
    truth: Option<[u32; 2]>,
}

impl Recorder {
    /// `names` are the logs of all days as the truth calls them; `truth` its two files.
    pub fn new(plan: &Plan, sink: Sink, names: Vec<Vec<u8>>, truth: Option<[u32; 2]>, date: Date) -> Recorder {
        Recorder {
            sink,
            counts: Counts::default(),
            body: Vec::new(),
            cl_ord_id: Vec::new(),
            order_id: Vec::new(),
            clock: Clock::new(date),
            fault: Fault::None,
            message: Vec::new(),
            session: 0,
            side: 0,
            seq: 0,
            msg_type: 0,
            sent: 0,
            time: 0,
            head_len: 0,
            is_repeat: false,
            repeats: BinaryHeap::new(),
            random: Random::new(plan.seed ^ 0x0066_6175_6c74),
            fault_rate: plan.faults,
            resend_rate: plan.resends,
            has_prefix: plan.prefix == Prefix::QuickFix,
            first_log: 0,
            last_prefix: vec![0; names.len()],
            names,
            truth,
        }
    }

    /// Goes on with the logs of another day.
    pub fn start_day(&mut self, date: Date, first_log: u32) {
        self.clock = Clock::new(date);
        self.first_log = first_log;
    }

    /// Starts a message that `side` of a session sends at a time, up to SendingTime(52).
    pub fn start(&mut self, market: &mut Market, session: u32, side: u8, msg_type: u8, time: u64) {
        let link = &mut market.sessions[session as usize];
        link.seq[side as usize] += 1;
        (self.session, self.side, self.msg_type, self.time) = (session, side, msg_type, time);
        self.seq = link.seq[side as usize];
        let owner = &market.parties[link.parties[side as usize] as usize];
        self.sent = time.saturating_add_signed(owner.clock_ahead);
        self.is_repeat = false;
        self.fault = self.draw_fault(msg_type);
        self.push_head(market, None);
        self.cl_ord_id.clear();
        self.order_id.clear();
    }

    fn push_head(&mut self, market: &Market, first_sent: Option<u64>) {
        let link = &market.sessions[self.session as usize];
        self.body.clear();
        self.body.extend_from_slice(&[b'3', b'5', b'=', self.msg_type, 1]);
        self.body.extend_from_slice(&link.head[self.side as usize]);
        push_number(&mut self.body, self.seq);
        if let Some(first_sent) = first_sent {
            self.body.extend_from_slice(b"\x0143=Y\x01122=");
            self.clock.push(&mut self.body, first_sent, link.has_micros);
        }
        self.body.extend_from_slice(b"\x0152=");
        self.clock.push(&mut self.body, self.sent, link.has_micros);
        self.body.push(1);
        self.head_len = self.body.len();
    }

    fn draw_fault(&mut self, msg_type: u8) -> Fault {
        if matches!(msg_type, b'A' | b'0' | b'5') || !self.random.chance(self.fault_rate) {
            return Fault::None;
        }
        let all = [Fault::BadLength, Fault::BadChecksum, Fault::MissingRequired, Fault::BadEnum, Fault::BadType];
        // OrderCancelReject(9) has neither Side(54) nor OrderQty(38).
        all[self.random.below(if msg_type == b'9' { 2 } else { 5 }) as usize]
    }

    /// Appends a field: `name` is its tag and `=`.
    pub fn put(&mut self, name: &[u8], value: &[u8]) {
        self.body.extend_from_slice(name);
        self.body.extend_from_slice(value);
        self.body.push(1);
    }

    pub fn put_number(&mut self, name: &[u8], value: u64) {
        self.body.extend_from_slice(name);
        push_number(&mut self.body, value);
        self.body.push(1);
    }

    /// Appends TransactTime(60): the time of the event by the sender's clock.
    pub fn put_transact_time(&mut self, has_micros: bool) {
        self.body.extend_from_slice(b"60=");
        self.clock.push(&mut self.body, self.sent, has_micros);
        self.body.push(1);
    }

    /// Frames the message and appends it to the logs. `life` is the number of its lifecycle; 0 for none.
    pub fn finish(&mut self, market: &Market, life: u64) -> Result<()> {
        self.frame(market.sessions[self.session as usize].is_fix42);
        let logs = market.sessions[self.session as usize].logs;
        for side in [self.side as usize, 1 - self.side as usize] {
            if logs[side] != NO_LOG {
                let ahead = market.parties[market.sessions[self.session as usize].parties[side] as usize].clock_ahead;
                // The receiver notes the message a little later than the sender.
                let noted = self.time.saturating_add_signed(ahead) + if side == self.side as usize { 0 } else { 9_000 };
                self.log(self.first_log + logs[side], noted, life)?;
            }
        }
        if !self.is_repeat && self.fault == Fault::None && matches!(self.msg_type, b'8' | b'D') {
            self.plan_repeat(life);
        }
        Ok(())
    }

    fn frame(&mut self, is_fix42: bool) {
        let mut len_bytes = self.body.len() as u64;
        if self.fault == Fault::BadLength {
            len_bytes += self.random.between(1, 9);
        }
        self.message.clear();
        self.message.extend_from_slice(if is_fix42 { b"8=FIX.4.2\x019=" } else { b"8=FIX.4.4\x019=" });
        push_number(&mut self.message, len_bytes);
        self.message.push(1);
        self.message.extend_from_slice(&self.body);
        let mut sum = self.message.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
        if self.fault == Fault::BadChecksum {
            sum = sum.wrapping_add(self.random.between(1, 255) as u8);
        }
        self.message.extend_from_slice(b"10=");
        push_padded(&mut self.message, u64::from(sum), 3);
        self.message.extend_from_slice(b"\x01\n");
    }

    fn log(&mut self, file: u32, noted: u64, life: u64) -> Result<()> {
        let buffer = self.sink.buffer(file);
        let before = buffer.len();
        if self.has_prefix {
            let last = &mut self.last_prefix[file as usize];
            *last = noted.max(*last);
            self.clock.push(buffer, *last, true);
            buffer.extend_from_slice(b" : ");
        }
        let prefix_len = buffer.len() - before;
        buffer.extend_from_slice(&self.message);
        self.counts.logged += 1;
        self.counts.bytes += (prefix_len + self.message.len()) as u64;
        if let Some([truth, injected]) = self.truth {
            let offset = self.sink.offset(file) - self.message.len() as u64;
            self.tell(truth, file, offset, life)?;
            if self.fault != Fault::None {
                let line = self.sink.buffer(injected);
                open_line(line, &self.names[file as usize], offset);
                line.extend_from_slice(b", \"fault\": \"");
                line.extend_from_slice(self.fault.name());
                line.extend_from_slice(b"\"}\n");
                self.sink.settle(injected)?;
            }
        }
        self.counts.faults += u64::from(self.fault != Fault::None);
        self.counts.repeats += u64::from(self.is_repeat);
        self.sink.settle(file)
    }

    fn tell(&mut self, truth: u32, file: u32, offset: u64, life: u64) -> Result<()> {
        let line = self.sink.buffer(truth);
        open_line(line, &self.names[file as usize], offset);
        line.extend_from_slice(b", \"seq\": ");
        push_number(line, self.seq);
        line.extend_from_slice(b", \"msg_type\": \"");
        line.push(self.msg_type);
        line.extend_from_slice(b"\", \"life\": ");
        if life == 0 {
            line.extend_from_slice(b"null")
        } else {
            push_number(line, life)
        }
        for (name, id) in [(&b", \"cl\": "[..], &self.cl_ord_id), (&b", \"order_id\": "[..], &self.order_id)] {
            line.extend_from_slice(name);
            if id.is_empty() {
                line.extend_from_slice(b"null");
            } else {
                line.push(b'"');
                line.extend_from_slice(id);
                line.push(b'"');
            }
        }
        line.extend_from_slice(if self.is_repeat { b", \"dup\": true}\n" } else { b", \"dup\": false}\n" });
        self.sink.settle(truth)
    }

    fn plan_repeat(&mut self, life: u64) {
        if self.random.chance(self.resend_rate) {
            self.repeats.push(Reverse(Repeat {
                time: self.time + self.random.between(200_000, 3_000_000_000),
                session: self.session,
                side: self.side,
                seq: self.seq,
                msg_type: self.msg_type,
                life,
                first_sent: self.sent,
                rest: self.body[self.head_len..].to_vec(),
                cl_ord_id: self.cl_ord_id.clone(),
                order_id: self.order_id.clone(),
            }));
        }
    }

    /// Sends the repeats that are due at a time.
    pub fn repeat_until(&mut self, market: &Market, time: u64) -> Result<()> {
        while self.repeats.peek().is_some_and(|next| next.0.time <= time) {
            let Some(Reverse(repeat)) = self.repeats.pop() else { break };
            (self.session, self.side, self.msg_type, self.time) =
                (repeat.session, repeat.side, repeat.msg_type, repeat.time);
            let sender = market.sessions[repeat.session as usize].parties[repeat.side as usize];
            self.sent = repeat.time.saturating_add_signed(market.parties[sender as usize].clock_ahead);
            (self.seq, self.fault, self.is_repeat) = (repeat.seq, Fault::None, true);
            self.push_head(market, Some(repeat.first_sent));
            self.body.extend_from_slice(&repeat.rest);
            (self.cl_ord_id, self.order_id) = (repeat.cl_ord_id, repeat.order_id);
            self.finish(market, repeat.life)?;
        }
        Ok(())
    }
}

/// Starts a line about a message at a place.
fn open_line(line: &mut Vec<u8>, name: &[u8], offset: u64) {
    line.extend_from_slice(b"{\"file\": \"");
    line.extend_from_slice(name);
    line.extend_from_slice(b"\", \"offset\": ");
    push_number(line, offset);
}
