//! Which application version a FIXT session speaks: DefaultApplVerID(1137) of its last Logon.

use crate::fix::Message;
use crate::fix::dictionary::Version;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// The versions that Logons have set so far in one source; cheap to copy for every unit of work.
#[derive(Clone, Debug, Default)]
pub struct Sessions {
    known: Arc<Vec<(u64, Version)>>,
}

impl Sessions {
    /// Takes note of a Logon. Both directions of a session share its version.
    pub fn logon(&mut self, message: &Message) {
        let Some(version) = message.get(1137).and_then(Version::from_appl_ver_id) else { return };
        let session = session(message);
        let known = Arc::make_mut(&mut self.known);
        match known.iter_mut().find(|(s, _)| *s == session) {
            Some(entry) => entry.1 = version,
            None => known.push((session, version)),
        }
    }

    /// The sessions and the names of their versions.
    pub fn to_names(&self) -> Vec<(u64, String)> {
        self.known.iter().map(|(session, version)| (*session, version.name().to_string())).collect()
    }

    /// The sessions that [`Sessions::to_names`] gave; versions that nobody knows are left out.
    pub fn from_names(names: &[(u64, String)]) -> Sessions {
        let version = |name: &str| Version::ALL.into_iter().find(|version| version.name() == name);
        let known = names.iter().filter_map(|(session, name)| Some((*session, version(name)?))).collect();
        Sessions { known: Arc::new(known) }
    }

    /// The version of the message's session, if a Logon has set one.
    pub fn version(&self, message: &Message) -> Option<Version> {
        if self.known.is_empty() {
            return None;
        }
        let session = session(message);
        self.known.iter().find(|(s, _)| *s == session).map(|&(_, version)| version)
    }
}

fn session(message: &Message) -> u64 {
    let end = |tag| xxh3_64(message.get(tag).unwrap_or_default());
    // Addition does not care which of the two sends.
    end(49).wrapping_add(end(56))
}
