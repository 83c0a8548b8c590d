//! `fixtrail validate`: findings to standard output or a file.

use super::args::{CheckLevel, ValidateArgs, ValidateFormat};
use super::input::unreadable_finding;
use super::progress::with_bar;
use super::report::Report;
use super::target::{Target, file_error};
use super::{Outcome, help_instead_of_waiting, say, stdin_is_terminal, summary};
use crate::finding::Finding;
use crate::pipeline::{
    Check, Counts, FINDINGS_CSV_HEADER, FindingFile, FindingFormat, LineWriter, Lines, Plan, RunSummary, finding_line,
    run,
};
use crate::progress::Progress;
use crate::{Error, Result};
use std::path::Path;
use std::time::Instant;

/// Runs the subcommand.
///
/// # Errors
/// Trouble that stops the run.
pub fn run_command(args: &ValidateArgs) -> Result<Outcome> {
    if args.input.reads_stdin() && stdin_is_terminal() {
        return help_instead_of_waiting("validate");
    }
    let started = Instant::now();
    let format = if args.json { ValidateFormat::Json } else { args.format };
    // One bad path does not keep the others from being checked, but the run is not complete then.
    let inputs = args.input.find(false)?;
    let specs = inputs.specs;
    let check = match args.level {
        CheckLevel::Frame => Check::Frame,
        CheckLevel::Message => Check::Message,
    };
    let plan = args.input.plan(specs.clone(), check, false, args.run.report.is_some(), Plan::LINES_BYTES);
    let progress = Progress::new();
    let mut late: Vec<Finding> = inputs.unreadable.iter().map(|text| unreadable_finding(text)).collect();
    let min_level = args.min_level.level();
    let name = |finding: &Finding| specs.get(finding.source as usize).map_or("", |spec| spec.name.as_str());

    let summary: RunSummary = if format == ValidateFormat::Parquet {
        let path = args.output.as_deref().filter(|path| *path != Path::new("-"));
        let path = path.ok_or_else(|| Error::Usage("Parquet goes to a file: give -o FILE".to_string()))?;
        let file = FindingFile::create(&super::target::new_file(path, args.force)?, min_level)?;
        let (summary, consumers) = with_bar(&args.run, &specs, &progress, || run(plan, &progress, || file.consumer()))?;
        drop(consumers);
        late.extend(summary.findings.iter().cloned());
        file.finish(&late, |finding| name(finding).to_string())?;
        summary
    } else {
        let target = Target::open(args.output.as_deref(), args.force)?;
        let error = if matches!(target, Target::Stdout) { Error::stdout } else { file_error };
        let writer = LineWriter::new(target.writer()?, plan.threads, error);
        let format = match format {
            ValidateFormat::Json => FindingFormat::Json,
            ValidateFormat::Csv => FindingFormat::Csv,
            _ => FindingFormat::Text,
        };
        if format == FindingFormat::Csv {
            writer.write(FINDINGS_CSV_HEADER.as_bytes())?;
        }
        let (summary, consumers) = with_bar(&args.run, &specs, &progress, || {
            run(plan, &progress, || Lines::new(None, Some((&writer, format)), min_level))
        })?;
        drop(consumers);
        let mut lines = Vec::new();
        late.extend(summary.findings.iter().cloned());
        for finding in late.iter().filter(|finding| finding.level >= min_level) {
            if finding.source == u32::MAX && format == FindingFormat::Text {
                continue;
            }
            finding_line(&mut lines, finding, name(finding), format);
        }
        writer.write(&lines)?;
        writer.flush()?;
        drop(writer);
        target.publish()?;
        summary
    };
    let mut counts: Counts = summary.counts.clone();
    for text in &inputs.unreadable {
        counts.whole_finding(&unreadable_finding(text));
        say(&format!("error: {text}"));
    }
    let mut report = Report::new("validate", &[("level", format!("{:?}", args.level).to_lowercase())]);
    report.read(&specs, &summary);
    report.counts = counts.clone();
    report.unreadable.clone_from(&inputs.unreadable);
    summary::close(&args.run, &counts, specs.len(), "", started, report)?;
    if !inputs.unreadable.is_empty() {
        return Ok(Outcome::Incomplete);
    }
    Ok(Outcome::of(&counts, args.run.fail_on.level()))
}
