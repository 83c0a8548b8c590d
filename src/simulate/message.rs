//! The bodies of the messages: which fields an order, a report or a session message carries in each version.

use super::market::{Kind, Market};
use super::order::{NONE, Order, Orders};
use super::recorder::{Fault, Recorder};
use super::text::{push_average, push_number, push_padded, push_price};
use crate::error::Result;

/// What a report tells.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// ExecType(150) as in FIX 4.4.
    pub exec_type: u8,
    pub status: u8,
    /// Price and quantity of a fill, or of the fill that is undone.
    pub fill: Option<(u64, u64)>,
    /// ExecID of the fill that is undone; 0 for none.
    pub undone: u64,
    /// The report answers the request of this ClOrdID; 0 for none.
    pub answers: u64,
}

impl Report {
    pub fn of(exec_type: u8, status: u8) -> Report {
        Report { exec_type, status, fill: None, undone: 0, answers: 0 }
    }
}

/// Writes messages about orders.
pub struct Writer<'a> {
    pub market: &'a mut Market,
    pub recorder: &'a mut Recorder,
}

impl Writer<'_> {
    fn start(&mut self, order: &Order, by_sender: bool, msg_type: u8, time: u64) {
        let side = if by_sender { order.from } else { 1 - order.from };
        self.recorder.start(self.market, order.session, side, msg_type, time);
    }

    /// ClOrdID(11) of a number, noted for the truth; then OrigClOrdID(41) if there is one.
    fn put_cl_ord_id(&mut self, order: &Order, number: u64, orig: u64) {
        let session = &self.market.sessions[order.session as usize];
        let sender = &self.market.parties[session.parties[order.from as usize] as usize];
        let maker = if sender.kind == Kind::Client { &session.cl_ord_ids } else { &sender.cl_ord_ids };
        let recorder = &mut *self.recorder;
        maker.push(&mut recorder.cl_ord_id, number);
        recorder.body.extend_from_slice(b"11=");
        recorder.body.extend_from_slice(&recorder.cl_ord_id);
        recorder.body.push(1);
        if orig != 0 {
            recorder.body.extend_from_slice(b"41=");
            maker.push(&mut recorder.body, orig);
            recorder.body.push(1);
        }
    }

    fn receiver(&self, order: &Order) -> &super::market::Party {
        let session = &self.market.sessions[order.session as usize];
        &self.market.parties[session.parties[1 - order.from as usize] as usize]
    }

    /// OrderID(37), noted for the truth.
    fn put_order_id(&mut self, order: &Order) {
        let session = &self.market.sessions[order.session as usize];
        let receiver = &self.market.parties[session.parties[1 - order.from as usize] as usize];
        receiver.order_ids.push(&mut self.recorder.order_id, order.order_id);
        self.recorder.body.extend_from_slice(b"37=");
        self.recorder.body.extend_from_slice(&self.recorder.order_id);
        self.recorder.body.push(1);
    }

    fn put_account(&mut self, order: &Order) {
        self.recorder.body.extend_from_slice(b"1=ACC");
        push_padded(&mut self.recorder.body, u64::from(order.account), 3);
        self.recorder.body.push(1);
    }

    fn put_instrument(&mut self, order: &Order, is_rich: bool) {
        let symbol = &self.market.symbols[order.symbol as usize];
        self.recorder.body.extend_from_slice(if is_rich { &symbol.full } else { &symbol.short });
    }

    fn put_side(&mut self, order: &Order) {
        match self.recorder.fault {
            Fault::MissingRequired => {}
            Fault::BadEnum => self.recorder.put(b"54=", b"Z"),
            _ => self.recorder.put(b"54=", &[order.side]),
        }
    }

    fn put_qty(&mut self, qty: u64) {
        if self.recorder.fault == Fault::BadType {
            self.recorder.put(b"38=", b"12x");
        } else {
            self.recorder.put_number(b"38=", qty);
        }
    }

    fn put_price(&mut self, name: &[u8], price: u64) {
        self.recorder.body.extend_from_slice(name);
        push_price(&mut self.recorder.body, price);
        self.recorder.body.push(1);
    }

    /// OrdType(40) and, for a limit order, Price(44).
    fn put_type_and_price(&mut self, price: u64) {
        if price == 0 {
            self.recorder.put(b"40=", b"1");
        } else {
            self.recorder.put(b"40=", b"2");
            self.put_price(b"44=", price);
        }
    }

    /// NewOrderSingle(D), with the reference to its parent or to the members that it combines.
    pub fn new_order(&mut self, orders: &Orders, at: u32, time: u64) -> Result<()> {
        let order = &orders.all[at as usize];
        self.start(order, true, b'D', time);
        self.put_cl_ord_id(order, order.cl, 0);
        self.put_terms(order, order.qty, order.price);
        if order.has_reference {
            if order.is_combined {
                self.put_related(orders, order.root);
            } else if order.parent != NONE {
                let parent = &orders.all[order.parent as usize];
                self.recorder.body.extend_from_slice(b"1080=");
                self.push_id_of(parent);
                self.recorder.body.extend_from_slice(b"\x011081=9\x01");
            }
        }
        self.recorder.finish(self.market, order.life)
    }

    /// What an order and its replacement have in common.
    fn put_terms(&mut self, order: &Order, qty: u64, price: u64) {
        let session = &self.market.sessions[order.session as usize];
        let (is_fix42, is_rich, has_micros) = (session.is_fix42, session.is_rich, session.has_micros);
        self.put_account(order);
        self.recorder.put(b"21=", b"1");
        if self.receiver(order).kind == Kind::Exchange {
            self.recorder.body.extend_from_slice(b"100=");
            let venue = self.market.sessions[order.session as usize].parties[1 - order.from as usize];
            self.recorder.put(b"", self.market.parties[venue as usize].name.as_bytes());
        }
        self.put_instrument(order, is_rich);
        self.put_side(order);
        self.recorder.put_transact_time(has_micros);
        self.put_qty(qty);
        self.put_type_and_price(price);
        self.recorder.body.extend_from_slice(b"59=0\x0115=USD\x01");
        self.recorder.put(if is_fix42 { b"47=" } else { b"528=" }, b"A");
        if order.side == b'5' {
            self.recorder.put(b"114=", b"N");
        }
        if is_rich && !is_fix42 && order.account.is_multiple_of(4) {
            self.recorder.body.extend_from_slice(b"453=1\x01448=TRADER7\x01447=D\x01452=11\x01");
        }
    }

    /// The identifier by which the receiver of `parent` refers to it.
    fn push_id_of(&mut self, parent: &Order) {
        let session = &self.market.sessions[parent.session as usize];
        let receiver = &self.market.parties[session.parties[1 - parent.from as usize] as usize];
        if !receiver.refers_by_cl_ord_id {
            receiver.order_ids.push(&mut self.recorder.body, parent.order_id);
            return;
        }
        let sender = &self.market.parties[session.parties[parent.from as usize] as usize];
        let maker = if sender.kind == Kind::Client { &session.cl_ord_ids } else { &sender.cl_ord_ids };
        maker.push(&mut self.recorder.body, parent.cl);
    }

    /// RelatedOrderGrp: a member of the tree that starts at `root` each.
    fn put_related(&mut self, orders: &Orders, root: u32) {
        let members = || members(orders, root);
        let by_cl_ord_id = members().next().is_some_and(|member| self.receiver(member).refers_by_cl_ord_id);
        self.recorder.put_number(b"73=", members().count() as u64);
        for member in members() {
            self.recorder.body.extend_from_slice(b"2887=");
            self.push_id_of(member);
            self.recorder.body.extend_from_slice(if by_cl_ord_id {
                b"\x012888=2\x012889="
            } else {
                b"\x012888=1\x012889="
            });
            push_number(&mut self.recorder.body, member.qty);
            self.recorder.body.extend_from_slice(b"\x012890=1\x01");
        }
    }

    /// OrderCancelReplaceRequest(G) with the asked terms.
    pub fn replace(&mut self, order: &Order, time: u64) -> Result<()> {
        self.start(order, true, b'G', time);
        self.put_cl_ord_id(order, order.asked_cl, order.cl);
        self.put_terms(order, order.asked_qty, order.asked_price);
        self.recorder.finish(self.market, order.life)
    }

    /// OrderCancelRequest(F).
    pub fn cancel(&mut self, order: &Order, time: u64) -> Result<()> {
        let (is_rich, has_micros) = self.manner(order);
        self.start(order, true, b'F', time);
        self.put_cl_ord_id(order, order.asked_cl, order.cl);
        self.put_order_id(order);
        self.put_account(order);
        self.put_instrument(order, is_rich);
        self.put_side(order);
        self.recorder.put_transact_time(has_micros);
        self.put_qty(order.qty);
        self.recorder.finish(self.market, order.life)
    }

    fn manner(&self, order: &Order) -> (bool, bool) {
        let session = &self.market.sessions[order.session as usize];
        (session.is_rich, session.has_micros)
    }

    /// OrderCancelReject(9): the order has ended before the request came.
    pub fn refuse(&mut self, order: &Order, is_replace: bool, time: u64) -> Result<()> {
        self.start(order, false, b'9', time);
        self.put_order_id(order);
        self.put_cl_ord_id(order, order.asked_cl, order.cl);
        self.put_account(order);
        self.recorder.put(b"39=", &[order.status()]);
        self.recorder.put(b"434=", if is_replace { b"2" } else { b"1" });
        self.recorder.body.extend_from_slice(b"102=0\x0158=Too late: the order has ended\x01");
        self.recorder.finish(self.market, order.life)
    }

    /// ExecutionReport(8) about an order as it is now; gives its ExecID's number.
    pub fn report(&mut self, order: &Order, report: Report, time: u64) -> Result<u64> {
        let session = &self.market.sessions[order.session as usize];
        let (is_fix42, is_rich, has_micros) = (session.is_fix42, session.is_rich, session.has_micros);
        let receiver = session.parties[1 - order.from as usize] as usize;
        let exec = self.market.parties[receiver].exec_ids.take();
        self.start(order, false, b'8', time);
        self.put_order_id(order);
        if report.answers != 0 {
            self.put_cl_ord_id(order, report.answers, order.cl);
        } else {
            self.put_cl_ord_id(order, order.cl, 0);
        }
        self.put_exec_id(b"17=", receiver, exec);
        let is_undone = report.undone != 0;
        if is_undone {
            self.put_exec_id(b"19=", receiver, report.undone);
        }
        let exec_type = match report.exec_type {
            b'F' if is_fix42 && report.status == b'2' => b'2',
            b'F' if is_fix42 => b'1',
            b'H' if is_fix42 => report.status,
            other => other,
        };
        if is_fix42 {
            self.recorder.put(b"20=", if is_undone { b"1" } else { b"0" });
        }
        self.recorder.put(b"150=", &[exec_type]);
        self.recorder.put(b"39=", &[report.status]);
        if report.exec_type == b'8' {
            self.recorder.body.extend_from_slice(b"103=3\x0158=Order exceeds the limit of the account\x01");
        }
        if is_rich && report.fill.is_none() {
            self.put_account(order);
        }
        self.put_instrument(order, false);
        self.put_side(order);
        self.put_qty(order.qty);
        self.put_type_and_price(order.price);
        if let Some(fill) = report.fill {
            self.put_fill(receiver, fill, is_fix42, is_rich);
        }
        self.recorder.put_number(b"151=", order.leaves());
        self.recorder.put_number(b"14=", order.cum);
        self.recorder.body.extend_from_slice(b"6=");
        push_average(&mut self.recorder.body, order.total, order.cum);
        self.recorder.body.push(1);
        self.recorder.put_transact_time(has_micros);
        self.recorder.finish(self.market, order.life)?;
        Ok(exec)
    }

    fn put_exec_id(&mut self, name: &[u8], party: usize, number: u64) {
        self.recorder.body.extend_from_slice(name);
        self.market.parties[party].exec_ids.push(&mut self.recorder.body, number);
        self.recorder.body.push(1);
    }

    fn put_fill(&mut self, receiver: usize, (price, qty): (u64, u64), is_fix42: bool, is_rich: bool) {
        self.recorder.put_number(b"32=", qty);
        self.put_price(b"31=", price);
        let party = &self.market.parties[receiver];
        if party.kind == Kind::Exchange {
            self.recorder.put(b"30=", party.name.as_bytes());
        } else if is_rich && is_fix42 {
            self.recorder.put(b"76=", party.name.as_bytes());
        }
        if is_rich && !is_fix42 {
            self.recorder.put(b"851=", if qty.is_multiple_of(200) { b"1" } else { b"2" });
        }
    }

    /// Logon(A), Heartbeat(0) or Logout(5) from one side of a session.
    pub fn session_message(&mut self, session: u32, side: u8, msg_type: u8, time: u64) -> Result<()> {
        self.recorder.start(self.market, session, side, msg_type, time);
        let link = &self.market.sessions[session as usize];
        match msg_type {
            b'A' => {
                self.recorder.body.extend_from_slice(b"98=0\x01108=30\x01141=Y\x01");
                if !link.is_fix42 && side == 0 && link.is_rich {
                    self.recorder.put(b"553=", self.market.parties[link.parties[0] as usize].name.as_bytes());
                    self.recorder.put(b"554=", b"open-sesame");
                }
            }
            b'5' => self.recorder.put(b"58=", b"End of day"),
            _ => {}
        }
        self.recorder.finish(self.market, 0)
    }
}

/// The members of a tree that a combined order stands for.
pub fn members(orders: &Orders, root: u32) -> impl Iterator<Item = &Order> {
    member_places(orders, root).map(|at| &orders.all[at as usize])
}

/// Where the members of a tree are.
pub fn member_places(orders: &Orders, root: u32) -> impl Iterator<Item = u32> {
    let first = Some(root).filter(|at| *at != NONE);
    std::iter::successors(first, |at| Some(orders.all[*at as usize].next).filter(|next| *next != NONE))
        .filter(|at| orders.all[*at as usize].course == super::order::Course::Member)
}
