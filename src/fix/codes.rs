//! Every code that a finding about a FIX message can have, with its level and what it means.

use crate::finding::Level;

/// A code of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    pub code: &'static str,
    pub level: Level,
    /// One sentence for the list of codes.
    pub meaning: &'static str,
}

const fn code(code: &'static str, level: Level, meaning: &'static str) -> Code {
    Code { code, level, meaning }
}

pub const BODY_LENGTH: Code =
    code("fix-body-length", Level::Error, "BodyLength(9) does not count to CheckSum(10), or is not there");
pub const CHECKSUM: Code = code("fix-checksum", Level::Error, "CheckSum(10) is not the sum of the bytes before it");
pub const CHECKSUM_DIGITS: Code =
    code("fix-checksum-digits", Level::Warning, "CheckSum(10) has fewer than three digits");
pub const CHECKSUM_RENDERED: Code = code(
    "fix-checksum-rendered",
    Level::Info,
    "CheckSum(10) was taken over the bytes with the log's separator instead of 0x01",
);
pub const TRUNCATED: Code =
    code("fix-truncated", Level::Error, "the line or the input ends before the message's CheckSum(10)");
pub const INTERLEAVED: Code =
    code("fix-interleaved", Level::Error, "another message begins before the message's CheckSum(10)");
pub const SPLIT: Code = code("fix-split", Level::Error, "line breaks stand inside the message");
pub const DATA_LENGTH: Code =
    code("fix-data-length", Level::Error, "a data field does not have the length that its length tag says");
pub const VERSION_UNKNOWN: Code =
    code("fix-version-unknown", Level::Error, "BeginString(8) names no version with a dictionary");
pub const MSG_TYPE_UNKNOWN: Code = code("fix-msg-type-unknown", Level::Error, "MsgType(35) is none of its version's");
pub const MSG_TYPE_USER: Code =
    code("fix-msg-type-user", Level::Info, "MsgType(35) starts with U: a message that the two sides defined");
pub const REQUIRED: Code =
    code("fix-required-tag-missing", Level::Error, "a tag that the message must have is missing");
pub const TAG_UNDEFINED: Code =
    code("fix-tag-undefined", Level::Error, "neither the version nor, in this message, a later one has the tag");
pub const TAG_NOT_FOR_MESSAGE: Code =
    code("fix-tag-not-for-message", Level::Error, "the tag exists, but not in this type of message");
pub const TAG_INVALID: Code = code("fix-tag-invalid", Level::Error, "the text before = is no tag number");
pub const VALUE_EMPTY: Code = code("fix-value-empty", Level::Error, "a tag has no value");
pub const TYPE: Code = code("fix-type", Level::Error, "a value is not written as its type demands");
pub const ENUM: Code = code("fix-enum", Level::Error, "a value is none of those that its tag enumerates");
pub const TAG_DUPLICATE: Code =
    code("fix-tag-duplicate", Level::Error, "a tag stands twice outside of repeating groups");
pub const GROUP_COUNT: Code =
    code("fix-group-count", Level::Error, "a repeating group has more or fewer entries than its count says");
pub const GROUP_DELIMITER: Code = code(
    "fix-group-delimiter",
    Level::Error,
    "an entry of a repeating group does not start with the group's first tag",
);
pub const GROUP_ORDER: Code =
    code("fix-group-order", Level::Error, "the tags of a group's entry are not in the order of the standard");
pub const FIELD_ORDER: Code =
    code("fix-field-order", Level::Error, "a message does not start with 8, 9, 35 or does not end with 10");
pub const LATER_VERSION: Code =
    code("fix-later-version", Level::Info, "a tag or group that only a later version allows in this message");

/// All codes, in the order in which the documentation lists them.
pub const ALL: &[Code] = &[
    BODY_LENGTH,
    CHECKSUM,
    CHECKSUM_DIGITS,
    CHECKSUM_RENDERED,
    TRUNCATED,
    INTERLEAVED,
    SPLIT,
    DATA_LENGTH,
    VERSION_UNKNOWN,
    MSG_TYPE_UNKNOWN,
    MSG_TYPE_USER,
    REQUIRED,
    TAG_UNDEFINED,
    TAG_NOT_FOR_MESSAGE,
    TAG_INVALID,
    VALUE_EMPTY,
    TYPE,
    ENUM,
    TAG_DUPLICATE,
    GROUP_COUNT,
    GROUP_DELIMITER,
    GROUP_ORDER,
    FIELD_ORDER,
    LATER_VERSION,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_said_in_one_style() {
        for (i, a) in ALL.iter().enumerate() {
            assert!(a.code.starts_with("fix-") && !a.meaning.is_empty() && !a.meaning.ends_with('.'), "{}", a.code);
            assert!(ALL[i + 1..].iter().all(|b| b.code != a.code), "{} twice", a.code);
        }
    }
}
