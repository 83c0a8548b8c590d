//! `fixtrail parse`: events to a pipe, a file, or a directory of Parquet.

use super::args::{ParseArgs, ParseFormat};
use super::input::{Inputs, unreadable_finding};
use super::progress::with_bar;
use super::report::Report;
use super::tables::make_tables;
use super::target::{self, Target, file_error};
use super::{Outcome, help_instead_of_waiting, stdin_is_terminal, summary};
use crate::finding::Level;
use crate::pipeline::{
    EventFormat, FINDINGS_CSV_HEADER, FindingFormat, LineWriter, Lines, Plan, RunSummary, events_csv_header,
    finding_line, run,
};
use crate::progress::Progress;
use crate::table::TrailWriter;
use crate::{Error, Result};
use std::path::Path;
use std::time::Instant;

/// Runs the subcommand.
///
/// # Errors
/// Trouble that stops the run.
pub fn run_command(args: &ParseArgs) -> Result<Outcome> {
    if args.input.reads_stdin() && stdin_is_terminal() {
        return help_instead_of_waiting("parse");
    }
    let started = Instant::now();
    let format = format(args)?;
    let inputs = args.input.find(!args.make.skip_unreadable)?;
    match (&args.output, format) {
        (Some(dir), ParseFormat::Parquet) => to_directory(args, inputs, dir, started),
        _ => to_lines(args, inputs, format, started),
    }
}

/// The format: as asked for, else by the output.
fn format(args: &ParseArgs) -> Result<ParseFormat> {
    let asked = if args.json { Some(ParseFormat::Json) } else { args.format };
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let found = match output {
        None => asked.unwrap_or(ParseFormat::Json),
        Some(path) => asked.unwrap_or_else(|| match path.extension().and_then(|e| e.to_str()) {
            Some("json" | "jsonl" | "ndjson") if !path.is_dir() => ParseFormat::Json,
            Some("csv") if !path.is_dir() => ParseFormat::Csv,
            _ => ParseFormat::Parquet,
        }),
    };
    if found == ParseFormat::Parquet && output.is_none() {
        return Err(Error::Usage("Parquet goes to a directory, partitioned by date: give -o DIR".to_string()));
    }
    if let Some(path) = output
        && found == ParseFormat::Parquet
        && path.extension().is_some_and(|e| e == "parquet")
        && !path.is_dir()
    {
        let text = "Parquet is a directory of files, partitioned by date; give a name without .parquet";
        return Err(Error::Usage(format!("{}: {text}", path.display())));
    }
    if args.names && found != ParseFormat::Json {
        return Err(Error::Usage("--names is for JSON: give -f json".to_string()));
    }
    if args.findings.is_some() && found == ParseFormat::Parquet {
        return Err(Error::Usage("findings are a table of the output directory; leave --findings out".to_string()));
    }
    Ok(found)
}

fn settings(args: &ParseArgs, format: ParseFormat) -> Vec<(&'static str, String)> {
    vec![
        ("format", format!("{format:?}").to_lowercase()),
        ("validate", format!("{:?}", args.make.validate).to_lowercase()),
        ("threads", args.input.threads().to_string()),
    ]
}

fn to_directory(args: &ParseArgs, inputs: Inputs, dir: &Path, started: Instant) -> Result<Outcome> {
    target::directory(dir, args.make.force, false)?;
    let plan = args.input.plan(inputs.specs, args.make.validate.check(), true, true, Plan::ROW_GROUP_BYTES);
    let writer = TrailWriter::create(dir, args.make.wait)?;
    let made = make_tables(&args.make, plan, &inputs.unreadable, writer, dir, None)?;
    let text = format!(
        "{} and {} in {}",
        summary::plural(made.counts.events, "event"),
        summary::plural(made.written.files, "file"),
        dir.display()
    );
    let report = Report::new("parse", &settings(args, ParseFormat::Parquet));
    made.close(&args.make.run, report, inputs.unreadable, &text, started)
}

fn to_lines(args: &ParseArgs, inputs: Inputs, format: ParseFormat, started: Instant) -> Result<Outcome> {
    let specs = inputs.specs;
    let plan = args.input.plan(
        specs.clone(),
        args.make.validate.check(),
        true,
        args.make.run.report.is_some(),
        Plan::LINES_BYTES,
    );
    let target = Target::open(args.output.as_deref(), args.make.force)?;
    let error = if matches!(target, Target::Stdout) { Error::stdout } else { file_error };
    let writer = LineWriter::new(target.writer()?, plan.threads, error);
    let finding_target = match &args.findings {
        Some(path) => Some(Target::open(Some(path), args.make.force)?),
        None => None,
    };
    let finding_writer = match &finding_target {
        Some(target) => Some(LineWriter::new(target.writer()?, plan.threads, file_error)),
        None => None,
    };
    let csv_findings = args.findings.as_deref().and_then(Path::extension).is_some_and(|e| e == "csv");
    let finding_format = if csv_findings { FindingFormat::Csv } else { FindingFormat::Json };
    if let (Some(writer), true) = (&finding_writer, csv_findings) {
        writer.write(FINDINGS_CSV_HEADER.as_bytes())?;
    }
    let event_format =
        if format == ParseFormat::Csv { EventFormat::Csv } else { EventFormat::Json { names: args.names } };
    if event_format == EventFormat::Csv {
        writer.write(events_csv_header().as_bytes())?;
    }
    let progress = Progress::new();
    let (summary, consumers): (RunSummary, _) = with_bar(&args.make.run, &specs, &progress, || {
        run(plan, &progress, || {
            Lines::new(Some((&writer, event_format)), finding_writer.as_ref().map(|w| (w, finding_format)), Level::Info)
        })
    })?;
    drop(consumers);
    let mut counts = summary.counts.clone();
    let mut late = summary.findings.clone();
    for text in &inputs.unreadable {
        let finding = unreadable_finding(text);
        counts.whole_finding(&finding);
        late.push(finding);
    }
    if let Some(writer) = &finding_writer {
        let mut lines = Vec::new();
        for finding in &late {
            let name = specs.get(finding.source as usize).map_or("", |spec| spec.name.as_str());
            finding_line(&mut lines, finding, name, finding_format);
        }
        writer.write(&lines)?;
        writer.flush()?;
    }
    writer.flush()?;
    drop(writer);
    drop(finding_writer);
    target.publish()?;
    if let Some(target) = finding_target {
        target.publish()?;
    }
    let mut report = Report::new("parse", &settings(args, format));
    report.read(&specs, &summary);
    report.counts = counts.clone();
    report.unreadable = inputs.unreadable;
    report.written.insert("events", counts.events);
    summary::close(&args.make.run, &counts, specs.len(), &summary::plural(counts.events, "event"), started, report)?;
    Ok(Outcome::of(&counts, args.make.run.fail_on.level()))
}
