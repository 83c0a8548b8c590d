//! Where the data of the dictionary crate differs from the standard, and what is right instead.
//!
//! The source of each correction is the FIX Orchestra file of that version unless another is named.

use super::codes::Open;
use super::kind::Kind;
use super::version::Version;

/// Tags, the versions from and to, and the right kind.
const KINDS: &[(&[u32], Version, Version, Kind)] = {
    use Version::*;
    &[
        // ExecInst holds several instructions with blanks between, in all versions (prose of FIX 4.0 and 4.1).
        (&[18], Fix40, Fix41, Kind::MultipleString),
        // MULTIPLEVALUESTRING is MultipleStringValue; the crate reads it as MultipleCharValue. Split in two by FIX 5.0.
        (&[18, 276, 277, 286, 291, 292, 529, 546], Fix42, Fix44, Kind::MultipleString),
        // MiscFeeType has values 10 to 12.
        (&[139], Fix43, Fix44, Kind::Text),
        // MassCancelRejectReason has 99; typed char by mistake (known issue of FIX 4.4).
        (&[532], Fix43, Fix44, Kind::Int),
        (&[674], Fix44, Fix50Sp2, Kind::Int),
        // A leg's settlement type may be a tenor such as M3, as SettlType(63) since FIX 5.0.
        (&[587], Fix50, Fix50Sp2, Kind::Text),
        (&[1193, 1317], Fix50Sp1, Fix50Sp2, Kind::Text),
        (&[877], Fix50, Fix50Sp2, Kind::Int),
        (&[1009], Fix50, Fix50Sp2, Kind::Decimal),
        (&[1294], Fix50Sp1, Fix50Sp2, Kind::Char),
        (&[1299], Fix50Sp1, Fix50Sp2, Kind::Int),
        (&[1308], Fix50Sp1, Fix50Sp2, Kind::MultipleChar),
        // The crate reads TZTIMEONLY and TZTIMESTAMP as their UTC twins.
        (&[1079, 1212, 1213, 1253, 1405], Fix50, Fix50Sp2, Kind::TzTimeOnly),
        (&[1132], Fix50, Fix50Sp2, Kind::TzTimestamp),
        (&[1492, 1493], Fix50Sp1, Fix50Sp2, Kind::Date),
        (&[213, 1283], Fix50, Fix50Sp2, Kind::Data),
    ]
};

/// The right kind of a field.
pub(super) fn kind(version: Version, tag: u32, kind: Kind, has_codes: bool) -> Kind {
    let corrected = KINDS.iter().find(|(tags, from, to, _)| tags.contains(&tag) && (*from..=*to).contains(&version));
    if let Some((.., corrected)) = corrected {
        return *corrected;
    }
    match kind {
        // CHAR is text of any length before FIX 4.2; in 4.2 practice goes on so where no list of values says otherwise.
        Kind::Char if version < Version::Fix42 || (version == Version::Fix42 && !has_codes) => Kind::Text,
        // ISO 10383 came with FIX 4.3; before, markets had the short codes of an appendix.
        Kind::Mic if version < Version::Fix43 => Kind::Market,
        kind => kind,
    }
}

/// Fields without a list of values whose list is, by their description, that of another field.
pub(super) fn same_codes_as(tag: u32) -> Option<u32> {
    Some(match tag {
        305 | 456 | 459 | 603 | 606 | 761 => 22,
        525 | 758 | 783 | 950 | 1050 | 1060 | 1118 | 1416 | 1463 => 447,
        538 | 759 | 784 | 951 | 1051 | 1061 | 1119 | 1417 | 1464 => 452,
        786 | 805 | 807 | 954 => 803,
        564 => 77,
        587 => 63,
        888 => 233,
        677 => 221,
        368 => 300,
        _ => return None,
    })
}

/// Values and their labels.
type Labelled = &'static [(&'static str, &'static str)];

/// Values that the crate's lists lack, by tag and versions.
const VALUES: &[(u32, Version, Version, Labelled)] = {
    use Version::*;
    &[
        (18, Fix44, Fix44, &[("T", "FIXED_PEG_TO_LOCAL_BEST_BID_OR_OFFER_AT_TIME_OF_ORDER")]),
        (39, Fix43, Fix44, &[("5", "REPLACED")]),
        (103, Fix44, Fix44, &[("12", "SURVEILLANCE_OPTION")]),
        (172, Fix42, Fix42, &[("0", "VERSUS_PAYMENT"), ("1", "FREE")]),
        (347, Fix42, Fixt11, &[("Shift_JIS", "SHIFT_JIS")]),
        (373, Fixt11, Fixt11, &[("18", "INVALID_UNSUPPORTED_APPL_VER")]),
        (394, Fix42, Fix42, &[("1", "NON_DISCLOSED"), ("2", "DISCLOSED"), ("3", "NO_BIDDING_PROCESS")]),
        (399, Fix42, Fix42, &[("1", "SECTOR"), ("2", "COUNTRY"), ("3", "INDEX")]),
        (401, Fix42, Fix42, &[("1", "SIDE_VALUE_1"), ("2", "SIDE_VALUE_2")]),
        (
            429,
            Fix42,
            Fix42,
            &[
                ("1", "ACK"),
                ("2", "RESPONSE"),
                ("3", "TIMED"),
                ("4", "EXEC_STARTED"),
                ("5", "ALL_DONE"),
                ("6", "ALERT"),
            ],
        ),
        (
            431,
            Fix42,
            Fix42,
            &[
                ("1", "IN_BIDDING_PROCESS"),
                ("2", "RECEIVED_FOR_EXECUTION"),
                ("3", "EXECUTING"),
                ("4", "CANCELLING"),
                ("5", "ALERT"),
                ("6", "ALL_DONE"),
                ("7", "REJECT"),
            ],
        ),
    ]
};

/// A field's values with those that the crate's list lacks.
pub(super) fn values(version: Version, tag: u32, mut values: Vec<(String, String)>) -> Vec<(String, String)> {
    for (of, from, to, more) in VALUES {
        if *of == tag && (*from..=*to).contains(&version) {
            values.extend(more.iter().map(|(value, label)| (value.to_string(), label.to_string())));
        }
    }
    values
}

/// Reject reasons and the like: 99 and numbers from 100 on are left to the two sides (Reserved100Plus in FIX Latest).
const RESERVED_100: &[u32] = &[
    88, 102, 103, 298, 300, 326, 327, 340, 368, 373, 378, 380, 507, 532, 567, 585, 658, 660, 723, 728, 749, 751, 774,
    776, 792, 796, 865, 871, 875, 877, 906, 946, 1096, 1105, 1113, 1114, 1174, 1178, 1194, 1217, 1220, 1328, 1368,
    1374, 1376, 1385, 1386, 1400, 1409, 1429, 1431, 1439, 1440, 1441, 1442, 1470, 1471, 1473, 1477, 1478, 1502,
    // Party roles: new ones come with every extension pack, and the numbers are used across versions.
    452, 538, 759, 784, 951, 1051, 1061, 1119, 1417, 1464,
];
/// Numbers from 1000 on are left to the two sides (Reserved1000Plus).
const RESERVED_1000: &[u32] = &[477, 492, 495, 828, 829, 847];
/// Numbers from 4000 on are left to the two sides (Reserved4000Plus).
const RESERVED_4000: &[u32] = &[577, 786, 803, 805, 807, 954, 1054, 1064, 1122, 1298, 1411];
/// Lists that point to a code list of somebody else, or that the two sides may extend.
const ANY: &[u32] = &[
    // Currencies (ISO 4217), markets (ISO 10383), countries (ISO 3166).
    15, 120, 100, 207, 421, 470, 543,
    // Sources of identifiers and of party identifiers, and classes of securities.
    22, 305, 456, 459, 603, 606, 761, 167, 310, 609, 762, 461, 447, 525, 758, 783, 950, 1050, 1060, 1118, 1416, 1463,
    // SymbolSfx, trading sessions, encodings, units of measure, benchmark curves, desks.
    65, 336, 625, 347, 996, 998, 221, 677, 1033,
    // MsgType is checked as a message type, the other two name message types that the other side may know.
    35, 372, 1128,
];

/// How far a field's list is open.
pub(super) fn open(tag: u32) -> Open {
    match tag {
        // IOIQty and leg quantities: S, M, L or a number.
        27 | 682 => Open::Number,
        63 | 587 => Open::Tenor,
        _ if ANY.contains(&tag) => Open::Any,
        _ if RESERVED_100.contains(&tag) => Open::From(99),
        _ if RESERVED_1000.contains(&tag) => Open::From(1000),
        _ if RESERVED_4000.contains(&tag) => Open::From(4000),
        _ => Open::Closed,
    }
}
