//! The process: hand the arguments to the command line, turn the outcome into an exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    fixtrail::cli::run(std::env::args_os())
}
