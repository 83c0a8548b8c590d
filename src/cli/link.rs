//! `fixtrail link`: a trail of events, links, lifecycles and findings; or the care of one.

use super::args::LinkArgs;
use super::memory::Budget;
use super::report::Report;
use super::tables::make_tables;
use super::{Outcome, help_instead_of_waiting, stdin_is_terminal, summary, target, upkeep};
use crate::{Error, Result};
use std::time::Instant;

/// Runs the subcommand.
///
/// # Errors
/// Trouble that stops the run.
pub fn run_command(args: &LinkArgs) -> Result<Outcome> {
    if let Some(outcome) = upkeep::run(args)? {
        return Ok(outcome);
    }
    let Some(output) = args.output.as_deref() else {
        return Err(Error::Usage("no trail: name it with -o TRAIL".to_string()));
    };
    if args.input.reads_stdin() && stdin_is_terminal() {
        return help_instead_of_waiting("link");
    }
    let started = Instant::now();
    let inputs = args.input.find(!args.make.skip_unreadable)?;
    target::directory(output, args.make.force, "a trail")?;
    let budget = Budget::new(args.memory);
    let plan = args.input.plan(inputs.specs, args.make.validate.check(), true, true, budget.unit_bytes());
    let made = make_tables(&args.make, plan, &inputs.unreadable, output, Some(budget.part_bytes()))?;
    let settings = [
        ("validate", format!("{:?}", args.make.validate).to_lowercase()),
        ("threads", args.input.threads().to_string()),
        ("memory", budget.bytes().to_string()),
    ];
    let text = format!(
        "{}, {} and {} in {}, version {}",
        summary::plural(made.counts.events, "event"),
        summary::plural(made.written.links, "link"),
        summary::plural(made.written.lifecycles, "lifecycle"),
        output.display(),
        made.version
    );
    made.close(&args.make.run, Report::new("link", &settings), inputs.unreadable, &text, started)
}
