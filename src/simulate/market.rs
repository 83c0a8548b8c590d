//! The firms of a simulated market, the sessions between them, and what they trade.

use super::identifier::{Maker, STYLES};
use super::random::Random;
use super::{Plan, Shape, Versions};

/// No log: the firm on this side of a session does not hand in its own.
pub const NO_LOG: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Client,
    Broker,
    Exchange,
}

pub struct Party {
    pub name: String,
    pub kind: Kind,
    /// The firm's clock is this many nanoseconds ahead.
    pub clock_ahead: i64,
    pub order_ids: Maker,
    pub exec_ids: Maker,
    /// ClOrdIDs of the orders that the firm sends on; clients have theirs by session.
    pub cl_ord_ids: Maker,
    /// References name the parent's ClOrdID(11), not its OrderID(37).
    pub refers_by_cl_ord_id: bool,
}

/// Two firms that exchange messages; side 0 is the client, or the broker that trades with an exchange.
pub struct Session {
    pub parties: [u32; 2],
    pub is_fix42: bool,
    pub has_micros: bool,
    /// Sends the tags that not everybody sends.
    pub is_rich: bool,
    /// MsgSeqNum(34) of the last message from each side.
    pub seq: [u64; 2],
    /// `49=…` to `34=` of the messages from each side.
    pub head: [Vec<u8>; 2],
    /// Each side's own log.
    pub logs: [u32; 2],
    /// ClOrdIDs of the client.
    pub cl_ord_ids: Maker,
}

pub struct Symbol {
    /// `55=…` with its separator, and in full `48=` and `22=` as well.
    pub short: Vec<u8>,
    pub full: Vec<u8>,
    /// Last price in 1/10,000.
    pub price: u64,
}

pub struct Market {
    pub parties: Vec<Party>,
    pub sessions: Vec<Session>,
    pub symbols: Vec<Symbol>,
    /// Each log's path below the day's directory.
    pub log_names: Vec<String>,
    clients: usize,
    brokers: usize,
    exchanges: usize,
}

const VENUES: [&str; 8] = ["XNYS", "XNAS", "ARCX", "BATS", "IEXG", "EDGX", "MEMX", "XPHL"];

impl Market {
    /// `month_day` is the day as MMDD.
    pub fn new(plan: &Plan, random: &mut Random, month_day: u32) -> Market {
        let [clients, brokers, exchanges] = [plan.clients.max(1), plan.brokers.max(1), plan.exchanges.max(1)];
        let total = clients + brokers + exchanges;
        let width = (total.ilog10() as usize + 1).max(2);
        let salt = random.word();
        let parties = (0..total).map(|at| {
            let (kind, name) = if at < brokers {
                (Kind::Broker, broker_name(at, brokers))
            } else if at < brokers + exchanges {
                let at = at - brokers;
                (Kind::Exchange, VENUES.get(at).map_or_else(|| format!("XV{at:02}"), |name| name.to_string()))
            } else {
                (Kind::Client, format!("CLI{:02}", at - brokers - exchanges + 1))
            };
            // Long random identifiers are the customers'; the others have the shorter styles.
            let styles = if kind == Kind::Client { &STYLES[..] } else { &STYLES[..4] };
            let maker = |space, offset: usize| {
                Maker::new(
                    styles[(at + offset) % styles.len()],
                    space,
                    &name,
                    &format!("{at:0width$}"),
                    month_day,
                    salt,
                )
            };
            Party {
                order_ids: maker(b'O', 0),
                exec_ids: maker(b'E', 0),
                cl_ord_ids: maker(if kind == Kind::Client { b'C' } else { b'S' }, 1),
                clock_ahead: random.between(0, 2 * plan.clock_skew_us) as i64 * 1000 - plan.clock_skew_us as i64 * 1000,
                refers_by_cl_ord_id: at % 2 == 1,
                name,
                kind,
            }
        });
        let mut market = Market {
            parties: parties.collect(),
            sessions: vec![],
            symbols: vec![],
            log_names: vec![],
            clients,
            brokers,
            exchanges,
        };
        for client in 0..clients {
            for broker in 0..brokers {
                market.connect(plan, brokers + exchanges + client, broker);
            }
        }
        for broker in 0..brokers {
            for exchange in 0..exchanges {
                market.connect(plan, broker, brokers + exchange);
            }
        }
        for broker in 0..brokers {
            for other in broker + 1..brokers {
                market.connect(plan, broker, other);
            }
        }
        market.symbols = (0..200).map(|at| symbol(at, random)).collect();
        market
    }

    /// Starts all counters again; identifiers carry the new day where their style has one.
    pub fn start_day(&mut self, month_day: u32) {
        for session in &mut self.sessions {
            session.seq = [0; 2];
            session.cl_ord_ids.start_day(month_day);
        }
        for party in &mut self.parties {
            party.order_ids.start_day(month_day);
            party.exec_ids.start_day(month_day);
            party.cl_ord_ids.start_day(month_day);
        }
    }

    fn connect(&mut self, plan: &Plan, a: usize, b: usize) {
        let [from, to] = [&self.parties[a], &self.parties[b]];
        let at = self.sessions.len();
        let from_client = from.kind == Kind::Client;
        let head = |sender: &str, target: &str| format!("49={sender}\x0156={target}\x0134=").into_bytes();
        let mut logs = [NO_LOG; 2];
        for (side, owner) in [from, to].into_iter().enumerate() {
            if owner.kind == Kind::Client {
                continue;
            }
            logs[side] = self.log_names.len() as u32;
            self.log_names.push(format!("{}/{}-{}.log", owner.name, from.name, to.name));
        }
        if plan.one_file {
            logs = logs.map(|log| if log == NO_LOG { NO_LOG } else { 0 });
        }
        self.sessions.push(Session {
            parties: [a as u32, b as u32],
            is_fix42: from_client
                && match plan.versions {
                    Versions::Fix42 => true,
                    Versions::Fix44 => false,
                    Versions::Mixed => a.is_multiple_of(2),
                },
            has_micros: at % 3 == 1,
            is_rich: at % 4 != 3,
            seq: [0; 2],
            head: [head(&from.name, &to.name), head(&to.name, &from.name)],
            logs,
            cl_ord_ids: from.cl_ord_ids.clone(),
        });
    }

    /// Number of the session between a client and a broker.
    pub fn client_session(&self, client: usize, broker: usize) -> u32 {
        (client * self.brokers + broker) as u32
    }

    /// Number of the session between a broker and an exchange.
    pub fn exchange_session(&self, broker: usize, exchange: usize) -> u32 {
        (self.clients * self.brokers + broker * self.exchanges + exchange) as u32
    }

    /// Number of the session between two brokers, and the side of the first.
    pub fn broker_session(&self, broker: usize, other: usize) -> (u32, u8) {
        let (low, high) = (broker.min(other), broker.max(other));
        // Brokers below `low` have a session each with all that follow them.
        let before = low * self.brokers - low * (low + 1) / 2;
        let start = self.clients * self.brokers + self.brokers * self.exchanges;
        ((start + before + high - low - 1) as u32, u8::from(broker > other))
    }

    pub fn counts(&self) -> (usize, usize, usize) {
        (self.clients, self.brokers, self.exchanges)
    }

    /// A symbol; a few make most of the trade, and one makes half of it when the shape says so.
    pub fn draw_symbol(&self, random: &mut Random, shape: Shape) -> u16 {
        if shape == Shape::HotSymbol {
            return if random.chance(0.5) { 0 } else { random.between(1, self.symbols.len() as u64 - 1) as u16 };
        }
        let unit = random.unit();
        (unit * unit * self.symbols.len() as f64) as u16
    }
}

/// `BRKA`, `BRKB` and so on; numbers when the letters do not suffice.
fn broker_name(at: usize, brokers: usize) -> String {
    if brokers <= 26 { format!("BRK{}", char::from(b'A' + at as u8)) } else { format!("BRK{at:03}") }
}

fn symbol(at: usize, random: &mut Random) -> Symbol {
    const KNOWN: [&str; 12] = ["AAPL", "MSFT", "NVDA", "F", "T", "GE", "IBM", "BRK.B", "XOM", "BAC", "GOOG", "AMD"];
    let name = KNOWN.get(at).map_or_else(
        || {
            let letter = |by: usize| char::from(b'A' + (at / by % 26) as u8);
            format!("{}{}Q{}", letter(7), letter(1), letter(26))
        },
        |name| name.to_string(),
    );
    let number = format!("{:06}10{}", random.below(1_000_000), random.below(10));
    Symbol {
        short: format!("55={name}\x01").into_bytes(),
        full: format!("55={name}\x0148={number}\x0122=1\x01").into_bytes(),
        price: random.between(500, 40_000) * 100,
    }
}
