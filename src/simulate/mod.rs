//! Simulated FIX days: what the firms of a market would have logged, with the true lifecycle of each message.
//!
//! A plan and a seed come in, log files go out. One queue of events in the order of time drives a few thousand living
//! orders; each event writes one message, so sessions and orders interleave as they do in a real day. Memory depends on
//! the number of living orders, never on the number of messages. One thread decides and formats everything, so the
//! bytes are the same whatever the number of threads; the others compress and write.

mod arrival;
mod day;
mod fills;
mod flow;
mod identifier;
mod market;
mod message;
mod order;
mod random;
mod recorder;
mod requests;
mod route;
mod shape;
mod sink;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod text;

pub use recorder::Counts;

use crate::error::{Error, Result};
use crate::types::Date;
use market::Market;
use random::Random;
use recorder::Recorder;
use sink::Sink;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// What stands before each message in the logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    None,
    /// `YYYYMMDD-HH:MM:SS.ffffff : `
    QuickFix,
}

/// The versions that brokers speak with their customers; between firms it is always FIX 4.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versions {
    Fix42,
    Fix44,
    Mixed,
}

/// What the day is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Normal,
    /// One symbol makes half of all messages.
    HotSymbol,
    /// One order gets all fills.
    ManyFills,
    /// One order is replaced again and again.
    ReplaceChain,
    /// One order combines all client orders.
    Combined,
    /// Each order is one message, and nobody answers.
    OneEvent,
    /// Each client gives all orders the same ClOrdID.
    OneClOrdId,
}

/// All that decides what a simulated market logs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Messages in all logs together, about.
    pub messages: u64,
    pub seed: u64,
    pub days: u32,
    pub date: Date,
    pub clients: usize,
    pub brokers: usize,
    pub exchanges: usize,
    /// Share of the messages that are damaged.
    pub faults: f64,
    /// Share of the child orders that do not name their parent.
    pub missing_refs: f64,
    /// Share of the orders and reports that are repeated with PossDupFlag(43)=Y.
    pub resends: f64,
    /// The firms' clocks are off by up to this many microseconds.
    pub clock_skew_us: u64,
    pub prefix: Prefix,
    pub versions: Versions,
    pub shape: Shape,
    pub one_file: bool,
    pub is_compressed: bool,
    pub has_truth: bool,
    /// Threads; the first decides and formats, the others compress and write.
    pub threads: usize,
}

impl Plan {
    /// A plan with nothing wrong in it.
    pub fn new(messages: u64, date: Date) -> Plan {
        Plan {
            messages,
            seed: 1,
            days: 1,
            date,
            clients: 12,
            brokers: 3,
            exchanges: 3,
            faults: 0.0,
            missing_refs: 0.0,
            resends: 0.0,
            clock_skew_us: 0,
            prefix: Prefix::None,
            versions: Versions::Mixed,
            shape: Shape::Normal,
            one_file: false,
            is_compressed: false,
            has_truth: false,
            threads: 1,
        }
    }
}

/// Names the files of a run, so that another run with `force` can remove them and nothing else.
const MANIFEST: &str = ".fixtrail-gen";

/// Writes the logs of a plan below a directory.
///
/// # Errors
/// When the directory holds something and `force` is false, or when it cannot be written.
pub fn write(plan: &Plan, dir: &Path, force: bool) -> Result<Counts> {
    make_room(dir, force)?;
    let mut random = Random::new(plan.seed);
    let days = trading_days(plan);
    let mut market = Market::new(plan, &mut random, month_day(plan.date));
    let log_names = if plan.one_file { vec!["all.log".to_string()] } else { market.log_names.clone() };
    let mut names = Vec::new();
    for day in &days {
        let folder = if days.len() > 1 { format!("{}/", day_text(*day)) } else { String::new() };
        let ending = if plan.is_compressed { ".zst" } else { "" };
        names.extend(log_names.iter().map(|name| format!("{folder}{name}{ending}")));
    }
    let logs = names.len();
    let mut paths = names.clone();
    if plan.has_truth {
        paths.extend(["truth.jsonl".to_string(), "injected.jsonl".to_string()]);
    }
    let manifest = dir.join(MANIFEST);
    fs::create_dir_all(dir).map_err(Error::io(dir, "cannot make the directory"))?;
    fs::write(&manifest, paths.join("\n") + "\n").map_err(Error::io(&manifest, "cannot write"))?;
    let sink =
        Sink::new(paths.iter().map(|path| dir.join(path)).collect(), plan.is_compressed, logs, plan.threads - 1)?;
    let truth = plan.has_truth.then_some([logs as u32, logs as u32 + 1]);
    let names = names.into_iter().map(String::into_bytes).collect();
    let mut recorder = Recorder::new(plan, sink, names, truth, plan.date);
    let mut lives = 0;
    for (at, day) in days.iter().enumerate() {
        market.start_day(month_day(*day));
        recorder.start_day(*day, (at * log_names.len()) as u32);
        // What earlier days wrote too much or too little, the later ones make up for.
        let missing = plan.messages.saturating_sub(recorder.counts.logged);
        let goal = recorder.counts.logged + missing / (days.len() - at) as u64;
        lives = day::write(plan, &mut market, &mut recorder, &mut random, goal, lives)?;
    }
    recorder.counts.lifecycles = lives;
    let counts = recorder.counts;
    recorder.sink.finish()?;
    Ok(counts)
}

/// Removes what an earlier run wrote, or refuses.
fn make_room(dir: &Path, force: bool) -> Result<()> {
    let is_empty = match fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(error) => return Err(Error::io(dir, "cannot read the directory")(error)),
    };
    if is_empty {
        return Ok(());
    }
    if !force {
        let dir = dir.display();
        return Err(Error::Usage(format!(
            "{dir}: the directory is not empty; --force replaces an earlier run's files"
        )));
    }
    let Ok(list) = fs::read_to_string(dir.join(MANIFEST)) else {
        let dir = dir.display();
        return Err(Error::Usage(format!("{dir}: the directory holds files of others; name another directory")));
    };
    for line in list.lines() {
        let path = PathBuf::from(line);
        if path.components().all(|part| matches!(part, Component::Normal(_))) {
            let path = dir.join(path);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io(&path, "cannot remove")(error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The plan's days, Saturdays and Sundays left out.
fn trading_days(plan: &Plan) -> Vec<Date> {
    // 1970-01-01 was a Thursday.
    let is_trading = |date: &Date| (date.0 + 3).rem_euclid(7) < 5;
    if plan.days <= 1 {
        return vec![plan.date];
    }
    (plan.date.0..).map(Date).filter(is_trading).take(plan.days as usize).collect()
}

fn month_day(date: Date) -> u32 {
    let (_, month, day) = date.ymd();
    month * 100 + day
}

fn day_text(date: Date) -> String {
    let (year, month, day) = date.ymd();
    format!("{year:04}-{month:02}-{day:02}")
}
