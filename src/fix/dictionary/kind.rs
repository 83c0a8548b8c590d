//! The lexical type of a field's value.

use hotfix_dictionary::FixDatatype;

/// What a value must look like; several of FIX's types that are written alike share one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Any bytes, not empty.
    Text,
    /// Any bytes, taken by the length field before it.
    Data,
    Char,
    Boolean,
    Int,
    /// Digits without a sign: Length, SeqNum, NumInGroup, TagNum.
    Unsigned,
    /// Price, Qty, Amt, Percentage and the like.
    Decimal,
    DayOfMonth,
    MonthYear,
    /// Characters with one blank between each.
    MultipleChar,
    /// Words with one blank between each.
    MultipleString,
    Currency,
    Country,
    Language,
    /// A market by its ISO 10383 code.
    Mic,
    /// A market by the short codes of FIX 4.2 and before.
    Market,
    UtcTimestamp,
    UtcTimeOnly,
    /// `YYYYMMDD`: UTCDateOnly, LocalMktDate.
    Date,
    TzTimestamp,
    TzTimeOnly,
    LocalTime,
}

impl Kind {
    pub(super) fn from_datatype(datatype: FixDatatype) -> Kind {
        match datatype {
            FixDatatype::Char => Kind::Char,
            FixDatatype::Boolean => Kind::Boolean,
            FixDatatype::Float
            | FixDatatype::Amt
            | FixDatatype::Price
            | FixDatatype::PriceOffset
            | FixDatatype::Qty
            | FixDatatype::Percentage => Kind::Decimal,
            FixDatatype::Int => Kind::Int,
            FixDatatype::Length | FixDatatype::NumInGroup | FixDatatype::SeqNum | FixDatatype::TagNum => Kind::Unsigned,
            FixDatatype::DayOfMonth => Kind::DayOfMonth,
            FixDatatype::MonthYear => Kind::MonthYear,
            FixDatatype::MultipleCharValue => Kind::MultipleChar,
            FixDatatype::MultipleStringValue => Kind::MultipleString,
            FixDatatype::Currency => Kind::Currency,
            FixDatatype::Country => Kind::Country,
            FixDatatype::Language => Kind::Language,
            FixDatatype::Exchange => Kind::Mic,
            FixDatatype::UtcTimestamp => Kind::UtcTimestamp,
            FixDatatype::UtcTimeOnly => Kind::UtcTimeOnly,
            FixDatatype::UtcDateOnly | FixDatatype::LocalMktDate => Kind::Date,
            FixDatatype::Data | FixDatatype::XmlData => Kind::Data,
            // String, and whatever a later release of the crate adds.
            _ => Kind::Text,
        }
    }

    /// The type letters of the generated table of later tags.
    pub(super) fn from_letter(letter: u8) -> Option<Kind> {
        Some(match letter {
            b's' => Kind::Text,
            b'r' | b'x' => Kind::Data,
            b'c' => Kind::Char,
            b'b' => Kind::Boolean,
            b'i' => Kind::Int,
            b'l' | b't' | b'q' | b'n' => Kind::Unsigned,
            b'f' => Kind::Decimal,
            b'd' => Kind::DayOfMonth,
            b'M' => Kind::MonthYear,
            b'C' => Kind::MultipleChar,
            b'S' => Kind::MultipleString,
            b'X' => Kind::Currency,
            b'Y' => Kind::Country,
            b'G' => Kind::Language,
            b'E' => Kind::Mic,
            b'U' => Kind::UtcTimestamp,
            b'T' => Kind::UtcTimeOnly,
            b'D' | b'L' => Kind::Date,
            b'Z' => Kind::TzTimestamp,
            b'z' => Kind::TzTimeOnly,
            b'K' => Kind::LocalTime,
            _ => return None,
        })
    }

    /// What to tell a person whose value is not of this kind.
    pub fn expected(self) -> &'static str {
        match self {
            Kind::Text | Kind::Data => "a value",
            Kind::Char => "one character",
            Kind::Boolean => "Y or N",
            Kind::Int => "a whole number",
            Kind::Unsigned => "a whole number without sign",
            Kind::Decimal => "a decimal number",
            Kind::DayOfMonth => "a day from 1 to 31",
            Kind::MonthYear => "YYYYMM, YYYYMMDD or YYYYMMw1 to w5",
            Kind::MultipleChar => "characters with one blank between each",
            Kind::MultipleString => "words with one blank between each",
            Kind::Currency => "an ISO 4217 code of three capital letters",
            Kind::Country => "an ISO 3166 code of two capital letters",
            Kind::Language => "an ISO 639 code of two letters",
            Kind::Mic => "an ISO 10383 code of four capital letters or digits",
            Kind::Market => "a market code",
            Kind::UtcTimestamp => "YYYYMMDD-HH:MM:SS with up to 12 decimals",
            Kind::UtcTimeOnly => "HH:MM:SS with up to 12 decimals",
            Kind::Date => "a date YYYYMMDD",
            Kind::TzTimestamp => "YYYYMMDD-HH:MM[:SS] with Z or an offset such as +05:30",
            Kind::TzTimeOnly => "HH:MM[:SS] with Z or an offset such as +05:30",
            Kind::LocalTime => "HH:MM:SS",
        }
    }
}
