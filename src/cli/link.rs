//! `fixtrail link`: a trail of events, links, lifecycles and findings; or the care of one.

use super::args::LinkArgs;
use super::input::Inputs;
use super::memory::Budget;
use super::report::Report;
use super::sources::{Standing, Stood, stand};
use super::tables::{Adding, LinkTo, make_tables};
use super::{Outcome, help_instead_of_waiting, say, sources, stdin_is_terminal, summary, target, upkeep};
use crate::link::Known;
use crate::pipeline::{Counts, LINKER, open_known};
use crate::table::{Trail, TrailWriter};
use crate::{Error, Result};
use std::path::Path;
use std::time::{Duration, Instant};

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
    target::directory(output, args.make.force, true)?;
    if let Some(every) = args.watch {
        return watch(args, output, every);
    }
    let inputs = args.input.find(!args.make.skip_unreadable)?;
    if args.dry_run {
        return dry_run(args, output, inputs, started);
    }
    take(args, output, inputs, started)
}

/// The least that a watch waits between two looks.
const SHORTEST: Duration = Duration::from_millis(20);

/// Takes what has come and has settled, again and again; the end is a signal, or trouble.
fn watch(args: &LinkArgs, output: &Path, every: Duration) -> Result<Outcome> {
    if args.input.reads_stdin() {
        return Err(Error::Usage("--watch needs files or directories, not standard input".to_string()));
    }
    loop {
        let mut inputs = args.input.find(!args.make.skip_unreadable)?;
        inputs.specs.retain(|spec| sources::is_settled(&spec.origin, args.settle));
        let any_new = if Trail::exists(output) {
            let (trail, specs) = (Trail::open(output)?, inputs.specs.clone());
            let stood = stand(specs, trail.commit(), &args.input.open_options(), args.check_content)?;
            stood.iter().any(|stood| stood.standing != Standing::Same)
        } else {
            !inputs.specs.is_empty()
        };
        if any_new {
            take(args, output, inputs, Instant::now())?;
        }
        std::thread::sleep(every.max(SHORTEST));
    }
}

/// Makes the trail, or adds what is new to it.
fn take(args: &LinkArgs, output: &Path, inputs: Inputs, started: Instant) -> Result<Outcome> {
    let mut writer = TrailWriter::create(output, args.make.wait)?;
    let (stood, adding) = match writer.before().filter(|_| !args.make.force) {
        Some(before) => {
            let stood = stand(inputs.specs, before, &args.input.open_options(), args.check_content)?;
            let known = open_known(&Trail::open(output)?.index_files(LINKER))?;
            let hint = "keeps nothing that new events can be linked with; --force makes it anew";
            let known = known.ok_or_else(|| Error::Usage(format!("{}: {hint}", output.display())))?;
            writer.add_to_latest();
            let adding = adding(known, &stood);
            (stood, Some(adding))
        }
        None => (inputs.specs.into_iter().map(Stood::new).collect(), None),
    };
    let inputs_found = stood.len();
    let specs: Vec<_> = stood.into_iter().filter(|s| s.standing != Standing::Same).map(|s| s.spec).collect();
    let taken = inputs_found - specs.len();
    let budget = Budget::new(args.memory);
    let settings = settings(args, &budget);
    if adding.is_some() && specs.is_empty() && inputs.unreadable.is_empty() {
        let version = writer.before().map_or(0, |before| before.version);
        drop(writer);
        let text = format!(
            "nothing new: {} taken already; {} stays at version {version}",
            summary::plural(taken as u64, "input"),
            output.display()
        );
        let counts = Counts::default();
        summary::close(&args.make.run, &counts, 0, &text, started, Report::new("link", &settings))?;
        return Ok(Outcome::Clean);
    }
    let plan = args.input.plan(specs, args.make.validate.check(), true, true, budget.unit_bytes());
    let link = LinkTo { bytes: budget.part_bytes(), adding };
    let made = make_tables(&args.make, plan, &inputs.unreadable, writer, output, Some(link))?;
    let mut text = format!(
        "{}, {} and {} in {}, version {}",
        summary::plural(made.counts.events, "event"),
        summary::plural(made.written.links, "link"),
        summary::plural(made.written.lifecycles, "lifecycle"),
        output.display(),
        made.version
    );
    if taken > 0 {
        text.push_str(&format!("; {} taken already", summary::plural(taken as u64, "input")));
    }
    made.close(&args.make.run, Report::new("link", &settings), inputs.unreadable, &text, started)
}

fn settings(args: &LinkArgs, budget: &Budget) -> [(&'static str, String); 3] {
    [
        ("validate", format!("{:?}", args.make.validate).to_lowercase()),
        ("threads", args.input.threads().to_string()),
        ("memory", budget.bytes().to_string()),
    ]
}

/// What the inputs that are read, numbered from 0 without those that were taken already, add to.
fn adding(known: Known, stood: &[Stood]) -> Adding {
    let mut adding = Adding { known, grown: Default::default(), rewritten: Default::default() };
    let read = stood.iter().filter(|stood| stood.standing != Standing::Same);
    for (source, Stood { standing, .. }) in (0..).zip(read) {
        match standing {
            Standing::Grown { before } => {
                adding.grown.insert(source, before.clone());
            }
            Standing::Rewritten { original } => {
                adding.rewritten.insert(source, original.clone());
            }
            Standing::New | Standing::Same => {}
        }
    }
    adding
}

/// Says what would be done. Nothing is locked, so another run may do it meanwhile.
fn dry_run(args: &LinkArgs, output: &Path, inputs: Inputs, started: Instant) -> Result<Outcome> {
    let adds = Trail::exists(output) && !args.make.force;
    let stood = if adds {
        stand(inputs.specs, Trail::open(output)?.commit(), &args.input.open_options(), args.check_content)?
    } else {
        inputs.specs.into_iter().map(Stood::new).collect()
    };
    let (mut read, mut bytes) = (0, 0);
    for Stood { spec, standing, bytes: len } in &stood {
        let what = match standing {
            Standing::New => "new".to_string(),
            Standing::Same => "taken already".to_string(),
            Standing::Grown { before } => format!("grown: read on from byte {}", before.bytes),
            Standing::Rewritten { original } => format!("rewritten: another content than {original} had, taken anew"),
        };
        if *standing != Standing::Same {
            read += 1;
            bytes += len.unwrap_or(0);
        }
        super::print(&format!("{}: {what}", spec.name))?;
    }
    for text in &inputs.unreadable {
        super::print(&format!("unreadable: {text}"))?;
    }
    let text = format!(
        "dry run: {} of {} would be read, {} on the disk; {} {}",
        summary::thousands(read),
        summary::plural(stood.len() as u64, "input"),
        summary::bytes(bytes),
        output.display(),
        if adds { "would get a new version" } else { "would be made" }
    );
    if !args.make.run.quiet {
        say(&text);
    }
    if let Some(path) = &args.make.run.report {
        let mut report = Report::new("link", &settings(args, &Budget::new(args.memory)));
        report.unreadable = inputs.unreadable;
        report.seconds = started.elapsed().as_secs_f64();
        report.write(path)?;
    }
    Ok(Outcome::Clean)
}
