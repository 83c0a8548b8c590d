//! `fixtrail link`: a trail of events, links, lifecycles and findings.

use super::args::LinkArgs;
use super::report::Report;
use super::tables::{Made, make_tables};
use super::{Outcome, help_instead_of_waiting, stdin_is_terminal, summary, target};
use crate::Result;
use crate::pipeline::Plan;
use std::time::Instant;

/// Runs the subcommand.
///
/// # Errors
/// Trouble that stops the run.
pub fn run_command(args: &LinkArgs) -> Result<Outcome> {
    if args.input.reads_stdin() && stdin_is_terminal() {
        return help_instead_of_waiting("link");
    }
    let started = Instant::now();
    let inputs = args.input.find(!args.skip_unreadable)?;
    target::directory(&args.output, args.force, "a trail")?;
    let plan = args.input.plan(inputs.specs, args.validate.check(), true, true, Plan::ROW_GROUP_BYTES);
    let Made { summary, counts, written, specs } =
        make_tables(&args.run, plan, &inputs.unreadable, &args.output, true)?;
    let settings =
        [("validate", format!("{:?}", args.validate).to_lowercase()), ("threads", args.input.threads().to_string())];
    let mut report = Report::new("link", &settings);
    report.read(&specs, &summary);
    report.counts = counts.clone();
    report.unreadable = inputs.unreadable;
    report.written = written.report(counts.events);
    let text = format!(
        "{}, {} and {} in {}",
        summary::plural(counts.events, "event"),
        summary::plural(written.links, "link"),
        summary::plural(written.lifecycles, "lifecycle"),
        args.output.display()
    );
    summary::close(&args.run, &counts, specs.len(), &text, started, report)?;
    Ok(Outcome::of(&counts, args.run.fail_on.level()))
}
