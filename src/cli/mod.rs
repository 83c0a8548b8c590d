//! The command line: arguments in, exit status out. The only module that prints, reads the environment or knows a
//! terminal.

mod args;
mod generate;
mod input;
mod link;
mod memory;
mod parse;
mod progress;
mod query;
mod query_args;
mod report;
mod signals;
mod sources;
mod summary;
mod tables;
mod target;
mod upkeep;
mod upkeep_args;
mod validate;

use crate::finding::Level;
use crate::pipeline::Counts;
use crate::{Error, Result};
use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// How a run ended when nothing stopped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, and the data has no finding at or above `--fail-on`.
    Clean,
    /// Done, with such findings, or nothing was found that was asked for.
    Findings,
    /// Done as far as possible; some input could not be read.
    Incomplete,
}

impl Outcome {
    fn of(counts: &Counts, fail_on: Option<Level>) -> Outcome {
        match fail_on {
            Some(level) if counts.at_or_above(level) > 0 => Outcome::Findings,
            _ => Outcome::Clean,
        }
    }

    fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Outcome::Clean => 0,
            Outcome::Findings => 1,
            Outcome::Incomplete => 2,
        })
    }
}

/// Runs the program with these arguments, the program's name first. Can be called more than once.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output with status 0, everything else to standard error with 2.
            let status = u8::try_from(error.exit_code()).unwrap_or(2);
            // A reader that hangs up on the help is no error.
            let _ = error.print();
            return ExitCode::from(status);
        }
    };
    signals::end_cleanly();
    match execute(cli) {
        Ok(outcome) => outcome.code(),
        Err(Error::HungUp) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

fn execute(cli: Cli) -> Result<Outcome> {
    match cli.command {
        Command::Validate(args) => validate::run_command(&args),
        Command::Parse(args) => parse::run_command(&args),
        Command::Link(args) => link::run_command(&args),
        Command::Query(args) => query::run_command(&args),
        Command::Gen(args) => generate::run_command(&args),
    }
}

/// One line on standard error; that nobody reads it is no reason to stop.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "fixtrail: {line}");
}

/// One line on standard output.
fn print(line: &str) -> Result<()> {
    writeln!(std::io::stdout().lock(), "{line}").map_err(Error::stdout)
}

/// Prints the short help of a subcommand when it would otherwise wait for a person to type a log.
fn help_instead_of_waiting(command: &str) -> Result<Outcome> {
    let mut cli = Cli::command();
    if let Some(sub) = cli.find_subcommand_mut(command) {
        let help = sub.render_help();
        // `render_help` of a subcommand does not know its parent's name.
        let text = help.to_string().replace(&format!("Usage: {command}"), &format!("Usage: fixtrail {command}"));
        write!(std::io::stderr().lock(), "{text}").map_err(Error::stdout)?;
    }
    Ok(Outcome::Incomplete)
}

/// Standard input is a terminal.
fn stdin_is_terminal() -> bool {
    std::io::stdin().is_terminal()
}
