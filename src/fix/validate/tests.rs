//! Messages written by hand, each with exactly the issues it must have.

use super::*;
use crate::finding::Level;
use crate::fix::dictionary::Version;

/// Cuts at `|` and at the first `=` of each piece: the plain tokeniser.
pub(super) fn fields(bytes: &[u8]) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut at = 0;
    for piece in bytes.split(|&b| b == b'|') {
        if let Some(equals) = piece.iter().position(|&b| b == b'=') {
            let text = std::str::from_utf8(&piece[..equals]).unwrap_or_default();
            let is_number = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
            let tag = text.parse().ok().filter(|_| is_number).unwrap_or(0);
            fields.push(Field { tag, start: (at + equals + 1) as u32, end: (at + piece.len()) as u32 });
        }
        at += piece.len() + 1;
    }
    fields
}

/// Code, tag and sentence of each issue.
pub(super) fn issues(version: Version, text: &str) -> Vec<(&'static str, u32, String)> {
    let fields = fields(text.as_bytes());
    let message = Message { bytes: text.as_bytes(), fields: &fields };
    let mut found = Vec::new();
    Validator::new().check(&message, Dictionary::get(version), &mut |i| {
        assert!(crate::fix::codes::ALL.iter().any(|c| c.code == i.code && c.level == i.level), "{}", i.code);
        found.push((i.code, i.tag, i.text()));
    });
    found
}

fn one(version: Version, text: &str, code: &str, tag: u32, sentence: &str) {
    let found = issues(version, text);
    assert_eq!(found, [(found.first().map_or("", |f| f.0), tag, sentence.to_string())], "{text}");
    assert_eq!(found[0].0, code, "{text}");
}

const ORDER_44: &str = "8=FIX.4.4|9=162|35=D|49=BRKA|56=ARCX|34=1|52=20260302-14:37:41.851|11=S00000153|1=ACC055|21=1|55=GE|54=2|60=20260302-14:37:41.851|38=50|40=2|44=371.97|59=0|10=035|";
const REPORT_44: &str = "8=FIX.4.4|9=193|35=8|49=ARCX|56=BRKA|34=7|52=20260302-14:37:41.858|37=X00000163|11=S00000162|17=E00000183|150=F|39=1|55=GE|54=2|38=50|44=371.97|32=25|31=371.97|151=25|14=25|6=371.9700|60=20260302-14:37:41.858|10=236|";
const ORDER_42: &str = "8=FIX.4.2|9=144|35=D|49=CLI01|56=BRKA|34=1|52=20260302-14:44:14.764|11=C00000121|1=ACC038|21=1|55=NVDA|54=2|60=20260302-14:44:14.764|38=2500|40=2|44=22.21|59=0|10=182|";
const REPORT_42: &str = "8=FIX.4.2|9=202|35=8|49=BRKA|56=CLI02|34=3|52=20260302-15:16:42.165|37=O00000654|11=C00000653|17=E00000666|20=0|150=1|39=1|55=IBM|54=2|38=200|44=167.34|32=50|31=167.34|151=50|14=150|6=167.3400|60=20260302-15:16:42.165|10=025|";
const CANCEL_REJECT: &str = "9=108|35=9|49=BRKA|56=CLI12|34=2|52=20260302-15:44:43.213|37=O00001120|11=C00001127|41=C00001119|39=0|434=1|102=0|10=162|";
/// Its NoPartyIDs(453) has two entries, the first with a group of its own.
const PARTIES: &str = "8=FIX.4.4|9=1|35=D|49=A|56=B|34=1|52=20260302-14:37:41|11=X|453=2|448=P1|447=D|452=1|802=1|523=desk|803=4|448=P2|447=D|452=3|55=GE|54=1|60=20260302-14:37:41|38=5|40=1|10=035|";

#[test]
fn valid_messages_have_no_issue() {
    for (version, text) in [
        (Version::Fix44, ORDER_44),
        (Version::Fix44, REPORT_44),
        (Version::Fix42, ORDER_42),
        (Version::Fix42, REPORT_42),
        (Version::Fix44, PARTIES),
    ] {
        assert_eq!(issues(version, text), []);
    }
    assert_eq!(issues(Version::Fix42, &format!("8=FIX.4.2|{CANCEL_REJECT}")), []);
    assert_eq!(issues(Version::Fix44, &format!("8=FIX.4.4|{CANCEL_REJECT}")), []);
}

#[test]
fn one_fault_gives_one_issue_with_its_sentence() {
    let v = Version::Fix44;
    let is = |from: &str, to: &str, code: &str, tag: u32, sentence: &str| {
        one(v, &ORDER_44.replace(from, to), code, tag, sentence)
    };
    is("54=2|", "", "fix-required-tag-missing", 54, "Side(54) is missing, NewOrderSingle requires it");
    is("54=2|", "54=Z|", "fix-enum", 54, "Side(54) is \"Z\", expected one of 1, 2, 3, 4, 5, 6, 7, 8, 9, A, B, C, …");
    is("54=2|", "54=22|", "fix-type", 54, "Side(54) is \"22\", expected one character");
    is("38=50|", "38=12x|", "fix-type", 38, "OrderQty(38) is \"12x\", expected a decimal number");
    is("1=ACC055|", "1=|", "fix-value-empty", 1, "Account(1) has no value");
    is("55=GE|", "55=GE|55=GM|", "fix-tag-duplicate", 55, "Symbol(55) stands twice, the second value is \"GM\"");
    is("21=1|", "39=1|", "fix-tag-not-for-message", 39, "OrdStatus(39) is not a tag of NewOrderSingle in FIX.4.4");
    is(
        "21=1|",
        "4999=1|",
        "fix-tag-undefined",
        4999,
        "tag 4999 is not defined in FIX.4.4 nor in NewOrderSingle of a later version",
    );
    is("21=1|", "021=1|", "fix-tag-invalid", 0, "tag \"021\" is no number from 1 on, its value is \"1\"");
    is("35=D|", "35=zz|", "fix-msg-type-unknown", 35, "MsgType(35) is \"zz\", expected a message type of FIX.4.4");
    is("35=D|", "35=UX|", "fix-msg-type-user", 35, "MsgType(35) is \"UX\", which the two sides defined");
    is(
        "9=162|35=D|",
        "35=D|9=162|",
        "fix-field-order",
        9,
        "expected 8, 9 and 35 as the first three tags and 10 as the last",
    );
    is(
        "10=035|",
        "10=035|58=x|",
        "fix-field-order",
        10,
        "expected 8, 9 and 35 as the first three tags and 10 as the last",
    );
    is("35=D|", "", "fix-required-tag-missing", 35, "MsgType(35) is missing, a message of this type requires it");
}

#[test]
fn a_user_defined_tag_is_no_issue() {
    assert_eq!(issues(Version::Fix44, &ORDER_44.replace("21=1|", "5001=a|39999=b|")), []);
}

#[test]
fn faults_of_groups_have_their_own_codes() {
    let v = Version::Fix44;
    let is = |from: &str, to: &str, code: &str, tag: u32, sentence: &str| {
        one(v, &PARTIES.replace(from, to), code, tag, sentence)
    };
    is("453=2", "453=3", "fix-group-count", 453, "NoPartyIDs(453) is 3, but 2 entries follow");
    is(
        "453=2|",
        "",
        "fix-group-count",
        448,
        "PartyID(448) stands outside of its group, expected it after NoPartyIDs(453)",
    );
    is(
        "448=P1|447=D",
        "447=D|448=P1",
        "fix-group-delimiter",
        447,
        "entry 1 of NoPartyIDs(453) starts with PartyIDSource(447), expected PartyID(448)",
    );
    is(
        "447=D|452=3",
        "452=3|447=D",
        "fix-group-order",
        447,
        "PartyIDSource(447) stands too late in entry 2 of NoPartyIDs(453), expected it before the tag in front of it",
    );
    is("452=3", "452=X", "fix-type", 452, "PartyRole(452) is \"X\", expected a whole number");
    is("802=1", "802=2", "fix-group-count", 802, "NoPartySubIDs(802) is 2, but 1 entry follows");
}

#[test]
fn later_tags_are_told_and_their_group_nests() {
    let text = ORDER_44
        .replace("59=0|", "59=0|73=2|2887=O1|2888=1|2889=100|2890=1|2887=O2|2888=1|2889=7x|2890=1|1080=O9|1081=9|");
    let found = issues(Version::Fix44, &text);
    let codes: Vec<(&str, u32)> = found.iter().map(|(code, tag, _)| (*code, *tag)).collect();
    let later = "fix-later-version";
    assert_eq!(codes, [(later, 73), ("fix-type", 2889), (later, 1080), (later, 1081)]);
    assert_eq!(
        found[0].2,
        "NoOrders(73) is not in NewOrderSingle of FIX.4.4, later versions allow it there (FIX 5.0 SP2 EP259)"
    );
    // A tag of FIX 4.4 in a message of 4.2.
    let found = issues(Version::Fix42, &ORDER_42.replace("21=1|", "21=1|581=1|"));
    assert_eq!(found.iter().map(|f| (f.0, f.1)).collect::<Vec<_>>(), [(later, 581)]);
    assert_eq!(crate::fix::codes::LATER_VERSION.level, Level::Info);
}

#[test]
fn secrets_are_never_shown() {
    let logon = "8=FIX.4.4|9=1|35=A|49=A|56=B|34=1|52=20260302-14:37:41|98=0|108=30|554=secret|554=secret|95=6|96=secret|96=secret|10=1|";
    let found = issues(Version::Fix44, logon);
    assert_eq!(found.len(), 2, "{found:?}");
    for (_, tag, text) in found {
        assert!(text.ends_with("the second value is ***") && !text.contains("secret"), "{tag} {text}");
    }
}

#[test]
fn values_are_escaped_and_cut() {
    let found = issues(Version::Fix44, &ORDER_44.replace("54=2", "54=\u{1b}[31m\"é"));
    assert_eq!(found[0].2, "Side(54) is \"\\x1b[31m\\\"\\xc3\\xa9\", expected one character");
    let long = format!("38={}x|", "1".repeat(100));
    let found = issues(Version::Fix44, &ORDER_44.replace("38=50|", &long));
    assert_eq!(found[0].2, format!("OrderQty(38) is \"{}…\", expected a decimal number", "1".repeat(64)));
}

#[test]
fn a_message_of_nothing_and_one_of_junk_end_well() {
    let found = issues(Version::Fix44, "");
    assert!(found.iter().all(|f| f.0 == "fix-required-tag-missing"), "{found:?}");
    for text in
        ["=", "0=|=|x=y", "35=|8=|10=", "453=99999999999999999999|448=", "35=D|453=2|453=2|453=2|448=|448=|802=1|802=1"]
    {
        for version in Version::ALL {
            assert!(!issues(version, text).is_empty(), "{version} {text}");
        }
    }
}

mod generated;
