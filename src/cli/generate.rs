//! The hidden `gen`: man pages and completions from the argument table.

use super::Outcome;
use super::args::{Cli, GenArgs};
use crate::{Error, Result};
use clap::CommandFactory;
use clap_complete::Shell;
use std::fs;

/// Writes `man/` and `completions/` below a directory.
///
/// # Errors
/// When a file cannot be written.
pub fn run_command(args: &GenArgs) -> Result<Outcome> {
    let man = args.dir.join("man");
    let completions = args.dir.join("completions");
    for dir in [&man, &completions] {
        fs::create_dir_all(dir).map_err(Error::io(dir, "cannot make the directory"))?;
    }
    // Without a date in the pages, the same table gives the same bytes.
    clap_mangen::generate_to(Cli::command(), &man).map_err(Error::io(&man, "cannot write"))?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut Cli::command(), "fixtrail", &completions)
            .map_err(Error::io(&completions, "cannot write"))?;
    }
    Ok(Outcome::Clean)
}
