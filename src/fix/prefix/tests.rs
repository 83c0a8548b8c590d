use super::Direction::{self, In, Out};
use super::{Prefix, quickfix, read, read_line};
use crate::types::Timestamp;
use proptest::prelude::*;

/// What [`read`] finds, written so that a table of expectations can be read.
fn shown(prefix: &str) -> (Option<String>, bool, Option<Direction>) {
    let found = read(prefix.as_bytes());
    (found.capture.map(|t| t.to_string()), found.zone_known, found.direction)
}

#[test]
fn every_known_form_of_prefix_is_read() {
    const NAIVE: bool = false;
    const ZONED: bool = true;
    for (prefix, capture, zone_known, direction) in [
        ("", None, NAIVE, None),
        ("20260415-09:30:00.123456789 : ", Some("09:30:00.123456789Z"), NAIVE, None),
        ("\n20260415-09:30:00 : ", Some("09:30:00Z"), NAIVE, None),
        ("20260415-09:30:00.123: ", Some("09:30:00.123Z"), NAIVE, None),
        ("20260415-09:30:00.123 - ", Some("09:30:00.123Z"), NAIVE, None),
        ("20260415-09:30:00.123 O ", Some("09:30:00.123Z"), NAIVE, Some(Out)),
        ("20260415-09:30:00.123 I ", Some("09:30:00.123Z"), NAIVE, Some(In)),
        ("<20260415-09:30:00, FIX.4.4:SND->TGT, outgoing> (", Some("09:30:00Z"), NAIVE, Some(Out)),
        ("<20260415-09:30:00, FIX.4.4:SND->TGT, incoming> (", Some("09:30:00Z"), NAIVE, Some(In)),
        ("<20260415-09:30:00, FIX.4.4:SND->TGT, event> (", Some("09:30:00Z"), NAIVE, None),
        (
            ")\n<2026-04-15 09:30:00.1 +0000 UTC, FIX.4.4:SND->TGT, incoming>\n  (",
            Some("09:30:00.100Z"),
            ZONED,
            Some(In),
        ),
        ("2026/04/15 09:30:00.123456 ", Some("09:30:00.123456Z"), NAIVE, None),
        (
            "2026-04-15 09:30:00,123 INFO quickfixj.msg.incoming - FIX.4.4:SND->TGT: ",
            Some("09:30:00.123Z"),
            NAIVE,
            Some(In),
        ),
        ("2026-04-15 09:30:00,123 FIX.4.2:SND->TGT: ", Some("09:30:00.123Z"), NAIVE, None),
        ("2026/04/15-09:30:00,393 INFO :: TracingIncomingMessage[SESS]: ", Some("09:30:00.393Z"), NAIVE, Some(In)),
        (
            "2026-04-15 09:30:00.341_648 [9549-76c1:83] [EU2] (INFO) Receiving : ",
            Some("09:30:00.341648Z"),
            NAIVE,
            Some(In),
        ),
        ("incoming 09:15:57 INFO  - FIX.4.4:A->B: ", None, NAIVE, Some(In)),
        (" IN 20260415-15:07:20.036892627 ", Some("15:07:20.036892627Z"), NAIVE, Some(In)),
        ("OUT 20260415-15:07:20.036892627 ", Some("15:07:20.036892627Z"), NAIVE, Some(Out)),
        ("0000017 out ", None, NAIVE, Some(Out)),
        ("<logline sequence='0000001' direction=' in' text='", None, NAIVE, Some(In)),
        ("04/15/2026  15:20:27:   <== ", Some("15:20:27Z"), NAIVE, Some(In)),
        ("        JUNK\r\n04/15/2026 15:20:27 ==> ", Some("15:20:27Z"), NAIVE, Some(Out)),
        ("20260415-06:19:00 -> \0\0", Some("06:19:00Z"), NAIVE, Some(Out)),
        ("20260415-06:19:00 <<", Some("06:19:00Z"), NAIVE, Some(In)),
        ("<-- 20260415-06:19:00 ", Some("06:19:00Z"), NAIVE, Some(In)),
        ("Apr 15 09:30:00 host fixgw[811]: ", None, NAIVE, None),
        ("<134>1 2026-04-15T09:30:00.123+02:00 host fixgw 811 - - ", Some("07:30:00.123Z"), ZONED, None),
        ("15/04/2026 11:30:00.123 CEST ", Some("11:30:00.123Z"), NAIVE, None),
        ("04/05/2026 11:30:00.123 ", None, NAIVE, None),
        ("15-Apr-2026 11:30:00.5 PM ", Some("23:30:00.500Z"), NAIVE, None),
        ("15/Apr/2026:11:30:00 -0400 ", Some("15:30:00Z"), ZONED, None),
        ("04/15/2026 12:05:00 AM ", Some("00:05:00Z"), NAIVE, None),
        ("04/15/2026 13:05:00 AM ", None, NAIVE, None),
        ("{\"ts\":\"2026-04-15T09:30:00Z\",\"dir\":\"out\",\"msg\":\"", Some("09:30:00Z"), ZONED, Some(Out)),
        ("\"2026-04-15 09:30:00\",\"FIX.4.4\",\"SND\",\"TGT\",\"\",\"", Some("09:30:00Z"), NAIVE, None),
        ("20260415T093000.25Z ", Some("09:30:00.250Z"), ZONED, None),
        ("2026-04-15 09:30:00.1234567890001 ", None, NAIVE, None),
        ("2026-04-15 09:30:00.123456789000 ", Some("09:30:00.123456789Z"), NAIVE, None),
        ("20260415-09:30:60.5 : ", Some("09:31:00.500Z"), NAIVE, None),
        ("2026-04-15 09:30:00,17,", Some("09:30:00Z"), NAIVE, None),
        ("20260431-09:30:00 : ", None, NAIVE, None),
        ("20260415-24:00:00 : ", None, NAIVE, None),
        ("120260415-09:30:00 : ", None, NAIVE, None),
        ("\u{feff}20260415-09:30:00 : ", Some("09:30:00Z"), NAIVE, None),
    ] {
        let capture = capture.map(|time| format!("2026-04-15T{time}"));
        assert_eq!(shown(prefix), (capture, zone_known, direction), "{prefix:?}");
    }
}

#[test]
fn a_day_equal_to_its_month_needs_no_order() {
    assert_eq!(shown("04.04.2026 11:30:00.123 ").0.as_deref(), Some("2026-04-04T11:30:00.123Z"));
}

#[test]
fn words_within_a_sentence_and_names_of_sessions_are_no_direction() {
    for prefix in [
        "error in message ",
        "run out of ids, see ",
        "FIX.4.4:SND->TGT: ",
        "IN-1 ",
        "x.out ",
        "Sending answer to incoming ",
        "dir=I other=O ",
        "Session SND->TGT ",
        "login info ",
    ] {
        assert_eq!(read(prefix.as_bytes()).direction, None, "{prefix:?}");
    }
    for (prefix, direction) in
        [("[IN] ", In), ("Sent: ", Out), ("fromApp ", In), ("dir=in session=x ", In), ("O|", Out)]
    {
        assert_eq!(read(prefix.as_bytes()).direction, Some(direction), "{prefix:?}");
    }
}

/// The stamp of QuickFIX by the slow road: the tails cut off as text, the rest read by the type itself.
fn plain_quickfix(prefix: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(prefix).ok()?;
    let stamp = [" : ", ": ", " - ", " "].iter().find_map(|tail| text.strip_suffix(tail)).unwrap_or(text);
    if stamp.len() > 27 { None } else { Timestamp::parse_fix(stamp.as_bytes()) }
}

/// An instant of the years in question, cut to a number of decimals.
fn instants() -> impl Strategy<Value = (i64, usize)> {
    (946_684_800_000_000_000i64..4_102_444_800_000_000_000, 0..=9usize)
        .prop_map(|(nanos, decimals)| (nanos - nanos % 10i64.pow(9 - decimals as u32), decimals))
}

/// Year, month, day, then hour, minute, second and fraction as the forms below put them together.
fn parts((nanos, decimals): (i64, usize)) -> ((i32, u32, u32), String, String) {
    let t = Timestamp(nanos);
    let of_day = t.nanos_of_day();
    let seconds = of_day / 1_000_000_000;
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = format!("{:09}", of_day % 1_000_000_000)[..decimals].to_string();
    (t.date().ymd(), clock, fraction)
}

proptest! {
    #[test]
    fn the_short_path_agrees_with_the_plain_one(at in instants(), tail in 0..6usize, hits in prop::collection::vec((0..34usize, any::<u8>()), 0..2)) {
        let ((y, m, d), clock, fraction) = parts(at);
        let point = if fraction.is_empty() { "" } else { "." };
        let tail = [" : ", ": ", " - ", " ", "", " :"][tail];
        let mut text = format!("{y:04}{m:02}{d:02}-{clock}{point}{fraction}{tail}").into_bytes();
        if hits.is_empty() && tail != " :" {
            prop_assert_eq!(quickfix(&text), Some(Timestamp(at.0)));
        }
        for (place, byte) in hits {
            let len = text.len();
            text[place % len] = byte;
        }
        let short = quickfix(&text);
        prop_assert_eq!(short, plain_quickfix(&text));
        // Where the short path finds a stamp, the long one finds the same.
        if let Some(instant) = short {
            let found = read_line(&text);
            prop_assert_eq!(found, Prefix { capture: Some(instant), zone_known: false, direction: None });
        }
    }

    #[test]
    fn an_instant_is_read_back_from_every_form(at in instants(), offset in -14 * 60..=14 * 60i32) {
        let ((y, m, d), clock, fraction) = parts(at);
        let dot = if fraction.is_empty() { String::new() } else { format!(".{fraction}") };
        let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][m as usize - 1];
        let naive = Prefix { capture: Some(Timestamp(at.0)), ..Prefix::default() };
        for text in [
            format!("{y:04}/{m:02}/{d:02} {clock}{dot} "),
            format!("[{y:04}-{m:02}-{d:02}T{clock}{dot}] x: "),
            // Not the fixed layout.
            format!("[{y:04}-{m}-{d}  {clock}{dot}] x: "),
            format!("{d:02}-{month}-{y:04} {clock}{dot} "),
        ] {
            prop_assert_eq!(read(text.as_bytes()), naive, "{}", text);
        }
        let local = (at.0 + i64::from(offset) * 60_000_000_000, at.1);
        let ((y, m, d), clock, _) = parts(local);
        let (sign, o) = (if offset < 0 { '-' } else { '+' }, offset.abs());
        let zoned = Prefix { zone_known: true, ..naive };
        for text in [
            format!("{y:04}-{m:02}-{d:02}T{clock}{dot}{sign}{:02}:{:02} host ", o / 60, o % 60),
            format!("{y:04}-{m:02}-{d:02} {clock}{dot} {sign}{:02}{:02} ", o / 60, o % 60),
        ] {
            prop_assert_eq!(read(text.as_bytes()), zoned, "{}", text);
        }
        for text in [format!("{m:02}/{d:02}/{y:04} {clock}{dot} "), format!("{d:02}/{m:02}/{y:04} {clock}{dot} ")] {
            let expected = (d > 12 || d == m).then_some(Timestamp(local.0));
            prop_assert_eq!(read(text.as_bytes()).capture, expected, "{}", text);
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000), line in "[-0-9:.,TZ/ +_<>=()a-zA-Z]{0,80}") {
        read(&bytes);
        read(line.as_bytes());
    }
}
