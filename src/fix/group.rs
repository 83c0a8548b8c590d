//! placeholder, replaced at merge
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub depth: u8,
    pub entry: bool,
}
