//! FIX versions, and how messages name them.

use std::fmt;

/// An application version with a dictionary of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    Fix40,
    Fix41,
    Fix42,
    Fix43,
    Fix44,
    Fix50,
    Fix50Sp1,
    Fix50Sp2,
    /// The session layer alone: header, trailer and admin messages, for a FIXT session whose version is not known.
    Fixt11,
}

/// What BeginString(8) says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BeginString {
    /// One of FIX 4.0 to 4.4: session and application in one.
    Fix(Version),
    /// FIXT.1.1: the application version comes from ApplVerID(1128) or from the Logon's DefaultApplVerID(1137).
    Fixt11,
}

impl Version {
    pub const ALL: [Version; 9] = [
        Version::Fix40,
        Version::Fix41,
        Version::Fix42,
        Version::Fix43,
        Version::Fix44,
        Version::Fix50,
        Version::Fix50Sp1,
        Version::Fix50Sp2,
        Version::Fixt11,
    ];

    /// Reads BeginString(8): `FIX.4.0` to `FIX.4.4`, and `FIXT.1.1`.
    pub fn from_begin_string(value: &[u8]) -> Option<BeginString> {
        match value {
            b"FIXT.1.1" => Some(BeginString::Fixt11),
            [b'F', b'I', b'X', b'.', b'4', b'.', minor @ b'0'..=b'4'] => {
                Some(BeginString::Fix(Version::ALL[usize::from(minor - b'0')]))
            }
            _ => None,
        }
    }

    /// Reads ApplVerID(1128) or DefaultApplVerID(1137): 2 is FIX 4.0, 9 is 5.0 SP2. The values 0 and 1 (FIX 2.7 and 3.0)
    /// have no dictionary; 10 (FIX Latest) is read as 5.0 SP2, whose later tags are known.
    pub fn from_appl_ver_id(value: &[u8]) -> Option<Version> {
        match value {
            [digit @ b'2'..=b'9'] => Some(Version::ALL[usize::from(digit - b'2')]),
            b"10" => Some(Version::Fix50Sp2),
            _ => None,
        }
    }

    /// The name as in BeginString(8), with the service pack: `FIX.5.0SP2`.
    pub fn name(self) -> &'static str {
        match self {
            Version::Fix40 => "FIX.4.0",
            Version::Fix41 => "FIX.4.1",
            Version::Fix42 => "FIX.4.2",
            Version::Fix43 => "FIX.4.3",
            Version::Fix44 => "FIX.4.4",
            Version::Fix50 => "FIX.5.0",
            Version::Fix50Sp1 => "FIX.5.0SP1",
            Version::Fix50Sp2 => "FIX.5.0SP2",
            Version::Fixt11 => "FIXT.1.1",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The version, and where there was one the extension pack, that brought a tag into a message.
///
/// Ordered by time; 0 means "there from the start".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Added(u16);

impl Added {
    /// Stands for the time after a version, before extension packs had numbers.
    const AFTER: u16 = 0xfff;

    /// Reads `7.259`: the version's number, counted from FIX 4.0, and the extension pack; or `4+`: after FIX 4.4.
    pub(super) fn parse(text: &str) -> Option<Added> {
        let (version, pack) = match (text.strip_suffix('+'), text.split_once('.')) {
            (Some(version), _) => (version, Added::AFTER),
            (None, Some((version, pack))) => (version, pack.parse().ok().filter(|&p| p < Added::AFTER)?),
            (None, None) => (text, 0),
        };
        let version = version.parse::<u16>().ok()?;
        (version < 9).then_some(Added(version << 12 | pack))
    }
}

impl fmt::Display for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 9] = [
            "FIX 4.0",
            "FIX 4.1",
            "FIX 4.2",
            "FIX 4.3",
            "FIX 4.4",
            "FIX 5.0",
            "FIX 5.0 SP1",
            "FIX 5.0 SP2",
            "FIX Latest",
        ];
        let name = NAMES.get(usize::from(self.0 >> 12)).copied().unwrap_or("a later version");
        match self.0 & 0xfff {
            0 => f.write_str(name),
            Added::AFTER => write!(f, "after {name}"),
            pack => write!(f, "{name} EP{pack}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begin_strings_name_versions() {
        assert_eq!(Version::from_begin_string(b"FIX.4.2"), Some(BeginString::Fix(Version::Fix42)));
        assert_eq!(Version::from_begin_string(b"FIXT.1.1"), Some(BeginString::Fixt11));
        assert_eq!(Version::from_begin_string(b"FIX.5.0"), None);
        assert_eq!(Version::from_begin_string(b"FIX.4.25"), None);
        assert_eq!(Version::from_begin_string(b""), None);
    }

    #[test]
    fn application_version_ids_count_from_two() {
        assert_eq!(Version::from_appl_ver_id(b"2"), Some(Version::Fix40));
        assert_eq!(Version::from_appl_ver_id(b"6"), Some(Version::Fix44));
        assert_eq!(Version::from_appl_ver_id(b"9"), Some(Version::Fix50Sp2));
        assert_eq!(Version::from_appl_ver_id(b"1"), None);
        assert_eq!(Version::from_appl_ver_id(b"FIX.4.4"), None);
    }

    #[test]
    fn an_addition_reads_as_version_and_pack() {
        assert_eq!(Added::parse("7.259").expect("valid").to_string(), "FIX 5.0 SP2 EP259");
        assert_eq!(Added::parse("4").expect("valid").to_string(), "FIX 4.4");
        assert_eq!(Added::parse("4+").expect("valid").to_string(), "after FIX 4.4");
        assert_eq!(Added::parse("9"), None);
        assert_eq!(Added::parse("7.x"), None);
    }
}
