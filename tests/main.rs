//! One program for all tests that drive the binary: a module per subcommand, and a few for what all have in common.

mod bad_input;
mod harness;
mod incremental;
mod input;
mod layers;
mod link;
mod pages;
mod parse;
mod query;
mod same;
mod supervisor;
mod trail;
mod upkeep;
mod validate;
