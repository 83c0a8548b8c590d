//! A bar on standard error, when that is a terminal.

use super::args::{Color, RunArgs};
use crate::input::{Origin, SourceSpec};
use crate::progress::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Runs `work` with a bar beside it, drawn from the counters that the work bumps.
pub fn with_bar<T>(args: &RunArgs, specs: &[SourceSpec], progress: &Progress, work: impl FnOnce() -> T) -> T {
    if args.quiet || args.color == Color::Never || !std::io::stderr().is_terminal() {
        return work();
    }
    let total = total_bytes(specs);
    let bar = match total {
        Some(total) => ProgressBar::new(total),
        None => ProgressBar::new_spinner(),
    };
    let template = match total {
        Some(_) => "{bar:30} {binary_bytes}/{binary_total_bytes}  {binary_bytes_per_sec}  {msg}",
        None => "{spinner} {binary_bytes}  {binary_bytes_per_sec}  {msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // A thread that cannot be had costs the bar, not the run.
        let _ = std::thread::Builder::new().name("progress".to_string()).spawn_scoped(scope, || {
            while !done.load(Ordering::Relaxed) {
                bar.set_position(progress.bytes());
                bar.set_message(format!("{} messages", progress.messages()));
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        bar.finish_and_clear();
        result
    })
}

/// The sum of the files' sizes, or `None` when one of them is a pipe or compressed by its name.
fn total_bytes(specs: &[SourceSpec]) -> Option<u64> {
    let mut total = 0;
    for spec in specs {
        let Origin::Path(path) = &spec.origin else { return None };
        let compressed = path.extension().is_some_and(|e| ["gz", "zst", "bz2", "xz"].iter().any(|c| e == *c));
        let meta = std::fs::metadata(path).ok()?;
        if compressed || !meta.is_file() {
            return None;
        }
        total += meta.len();
    }
    Some(total)
}
