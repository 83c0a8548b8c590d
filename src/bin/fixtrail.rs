//! The process: hand the arguments to the command line, turn the outcome into an exit status.

use fixtrail::memory::{HugePages, return_large_allocations};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: HugePages = HugePages;

fn main() -> ExitCode {
    return_large_allocations();
    fixtrail::cli::run(std::env::args_os())
}
