//! Arguments of `link` that ask for something to be done to a trail instead of linking.

use crate::table::maintenance::Keep;
use clap::{Args, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

/// At most one of these; the trail stands where inputs do otherwise.
#[derive(Args)]
#[group(id = "upkeep", multiple = false)]
pub struct UpkeepArgs {
    /// Merge small files of a trail into larger ones, as a new version with the same rows
    #[arg(long, help_heading = "Care of a trail")]
    pub compact: bool,
    /// Drop versions of a trail and the files that only they have; stay: those that were the latest within an age, such
    /// as 12h, 30d or 8w, or so many of the newest
    #[arg(long, value_name = "AGE|VERSIONS", value_parser = retention, help_heading = "Care of a trail")]
    pub expire: Option<Retention>,
    /// Read every file of a trail again and compare it with what was recorded; print what is damaged
    #[arg(long, help_heading = "Care of a trail")]
    pub verify: bool,
    /// Copy a trail to a new directory, or bring an earlier copy up to date, while others may write to the trail
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Care of a trail")]
    pub backup: Option<PathBuf>,
}

impl UpkeepArgs {
    pub fn is_asked_for(&self) -> bool {
        self.compact || self.expire.is_some() || self.verify || self.backup.is_some()
    }

    /// The word for what is asked for.
    pub fn name(&self) -> &'static str {
        match self {
            UpkeepArgs { compact: true, .. } => "compact",
            UpkeepArgs { expire: Some(_), .. } => "expire",
            UpkeepArgs { backup: Some(_), .. } => "backup",
            _ => "verify",
        }
    }
}

/// Which versions stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention(pub Keep);

fn retention(text: &str) -> Result<Retention, String> {
    let wrong = || "expected an age such as 12h, 30d or 8w, or a number of versions from 1 on".to_string();
    let hours = match text.bytes().last() {
        Some(b'h') => 1,
        Some(b'd') => 24,
        Some(b'w') => 7 * 24,
        _ => 0,
    };
    let digits = if hours > 0 { &text[..text.len() - 1] } else { text };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let count: u64 = digits.parse().map_err(|_| wrong())?;
    match hours {
        0 if count == 0 => Err(wrong()),
        0 => Ok(Retention(Keep::Versions(count))),
        _ => {
            let seconds = count.checked_mul(hours * 3600).ok_or_else(wrong)?;
            Ok(Retention(Keep::Age(Duration::from_secs(seconds))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_with_a_unit_is_an_age_and_one_without_is_versions() {
        let kept = |text| retention(text).map(|retention| retention.0);
        assert_eq!(kept("12h"), Ok(Keep::Age(Duration::from_secs(43_200))));
        assert_eq!(kept("30d"), Ok(Keep::Age(Duration::from_secs(2_592_000))));
        assert_eq!(kept("2w"), Ok(Keep::Age(Duration::from_secs(1_209_600))));
        assert_eq!(kept("7"), Ok(Keep::Versions(7)));
        for text in ["", "d", "0", "-1", "+1", "1.5d", "1m", "30 d", "99999999999999999999", "9999999999999999999w"] {
            assert!(kept(text).is_err(), "{text}");
        }
    }
}
