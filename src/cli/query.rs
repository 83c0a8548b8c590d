//! `fixtrail query`: placeholder until merge
use super::Outcome;
use crate::Result;
/// Ask a trail
#[derive(clap::Args)]
pub struct QueryArgs {}
pub fn run_command(_args: &QueryArgs) -> Result<Outcome> {
    Ok(Outcome::Clean)
}
