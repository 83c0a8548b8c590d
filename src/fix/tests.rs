//! Framing and cutting against plain twins, on real shapes and on random bytes.

use super::checksum::check_sum;
use super::fields;
use super::frame::{Frame, Step, Verdict, next};
use super::{Message, Separator};
use proptest::prelude::*;

/// A message of these fields with right BodyLength and CheckSum, separators as given.
fn message(begin: &str, body: &[(u32, &[u8])], sep: &[u8]) -> Vec<u8> {
    let mut inner = Vec::new();
    for (tag, value) in body {
        inner.extend_from_slice(format!("{tag}=").as_bytes());
        inner.extend_from_slice(value);
        inner.push(1);
    }
    let mut plain = format!("8={begin}\u{1}9={}\u{1}", inner.len()).into_bytes();
    plain.extend_from_slice(&inner);
    let sum = plain.iter().fold(0u32, |n, &b| n + u32::from(b)) % 256;
    plain.extend_from_slice(format!("10={sum:03}\u{1}").as_bytes());
    // Data fields keep their 0x01; the tests that render use none.
    plain.iter().flat_map(|&b| if b == 1 { sep.to_vec() } else { vec![b] }).collect()
}

fn order(sep: &[u8]) -> Vec<u8> {
    message("FIX.4.4", &[(35, b"D"), (49, b"A"), (56, b"B"), (11, b"C1"), (58, b"10=000_8=x")], sep)
}

fn frames(bytes: &[u8]) -> Vec<Frame> {
    let (mut all, mut at) = (Vec::new(), 0);
    loop {
        match next(bytes, at, true) {
            Step::Frame(frame) => {
                assert!(frame.start >= at && frame.end > frame.start && frame.end <= bytes.len());
                assert!(frame.trailer <= frame.end && frame.trailer >= frame.start);
                at = frame.end;
                all.push(frame);
            }
            Step::Done => return all,
            Step::More(_) => panic!("more bytes asked for at the end"),
        }
    }
}

/// The same, fed in blocks of `size` bytes as a reader of a pipe would.
fn frames_in_blocks(bytes: &[u8], size: usize) -> Vec<Frame> {
    let (mut all, mut kept, mut given) = (Vec::new(), 0, 0);
    loop {
        given = bytes.len().min(given + size);
        let at_end = given == bytes.len();
        let block = &bytes[kept..given];
        let mut at = 0;
        loop {
            match next(block, at, at_end) {
                Step::Frame(mut frame) => {
                    at = frame.end;
                    for place in [&mut frame.start, &mut frame.end, &mut frame.body, &mut frame.trailer] {
                        *place += kept;
                    }
                    all.push(frame);
                }
                Step::Done => return all,
                Step::More(from) => {
                    assert!(from >= at);
                    kept += from;
                    break;
                }
            }
        }
    }
}

fn verdicts(bytes: &[u8]) -> Vec<Verdict> {
    frames(bytes).iter().map(|f| f.verdict).collect()
}

#[test]
fn every_separator_that_logs_use_is_taken_from_the_gap_behind_body_length() {
    for sep in [
        "\u{1}", "|", "^", ";", " ", "\t", ",", "^A", "<SOH>", "[SOH]", "\\x01", "\\u0001", "\u{2401}", "#", "~", "!",
        "\0", "^B",
    ] {
        let bytes = order(sep.as_bytes());
        let found = frames(&bytes);
        assert_eq!(found.len(), 1, "{sep:?}");
        assert_eq!((found[0].start, found[0].end, found[0].verdict), (0, bytes.len(), Verdict::Good), "{sep:?}");
        assert_eq!(found[0].separator.as_bytes(), sep.as_bytes());
        assert!(check_sum(&bytes, &found[0]).is_standard(), "{sep:?}");
    }
}

#[test]
fn messages_with_different_separators_follow_each_other_with_prefixes_and_without_line_ends() {
    let mut bytes = b"junk 108=FIX here\n20260302-14:30:09.442 : ".to_vec();
    let mut starts = Vec::new();
    for sep in ["\u{1}", "|", "^A", "\u{1}"] {
        starts.push(bytes.len());
        bytes.extend_from_slice(&order(sep.as_bytes()));
    }
    bytes.extend_from_slice(b"trailing junk\r\n");
    let found = frames(&bytes);
    assert_eq!(found.iter().map(|f| f.start).collect::<Vec<_>>(), starts);
    assert!(found.iter().all(|f| f.verdict == Verdict::Good));
}

#[test]
fn a_whole_message_inside_xml_data_is_not_framed_on_its_own() {
    let inner = order(b"\x01");
    let mut xml = b"<RTRF>".to_vec();
    xml.extend_from_slice(&inner);
    xml.extend_from_slice(b"</RTRF>");
    let length = xml.len().to_string();
    let outer = message("FIX.4.2", &[(35, b"n"), (212, length.as_bytes()), (213, &xml), (58, b"after")], b"\x01");
    let found = frames(&outer);
    assert_eq!((found.len(), found[0].end, found[0].verdict), (1, outer.len(), Verdict::Good));
    // A wrong BodyLength makes it walk the fields, and the walk steps over the data too.
    let wrong = [b"8=FIX.4.2\x019=5\x01".as_slice(), &outer[found[0].body..]].concat();
    let found = frames(&wrong);
    let counted = (found[0].trailer - found[0].body) as u64;
    assert_eq!((found.len(), found[0].end), (1, wrong.len()));
    assert_eq!(found[0].verdict, Verdict::BodyLength { stated: 5, counted });
    let (mut cut, mut trouble) = (Vec::new(), Vec::new());
    fields::split(&outer, Separator::SOH, &mut cut, &mut trouble);
    let cut = Message { bytes: &outer, fields: &cut };
    assert_eq!(cut.get(213), Some(&xml[..]));
    assert_eq!(cut.get(58), Some(&b"after"[..]));
    assert_eq!(trouble, []);
}

#[test]
fn damage_is_told_apart() {
    let good = order(b"|");
    let text = String::from_utf8(good.clone()).expect("ascii");
    let body = text.find("35=").expect("a body");
    let cut = |end: &str| text[..text.find(end).expect("there")].to_string();
    let line = |s: &str| format!("{s}\n{text}\n").into_bytes();
    assert_eq!(verdicts(&line(&cut("58="))), [Verdict::Truncated, Verdict::Good]);
    assert_eq!(verdicts(&line(&cut("8=x"))), [Verdict::Truncated, Verdict::Good]);
    assert_eq!(verdicts(cut("58=").as_bytes()), [Verdict::Truncated]);
    assert_eq!(verdicts(format!("{}{text}", cut("56=")).as_bytes()), [Verdict::Interleaved, Verdict::Good]);
    assert_eq!(verdicts(format!("{}35=D|x", &text[..body]).as_bytes()), [Verdict::Truncated]);
    assert_eq!(verdicts(b"8=FIX.4.4|35=A|49=X|10=001|\n"), [Verdict::NoBodyLength]);
    assert_eq!(verdicts(b"8=FIX.4."), [Verdict::Truncated]);
    assert_eq!(verdicts(b"8=FIX"), [Verdict::Truncated]);
    let split = text.replace("|56=", "\r\n|56=");
    assert_eq!(verdicts(split.as_bytes()), [Verdict::Split]);
    let counted = (text.find("10=").map(|_| text.rfind("10=").expect("trailer") - body)).expect("counted") as u64;
    let wrong = text.replacen(&format!("9={counted}|"), "9=999|", 1);
    assert_eq!(verdicts(wrong.as_bytes()), [Verdict::BodyLength { stated: 999, counted }]);
    assert_eq!(verdicts(text.trim_end_matches('|').as_bytes()), [Verdict::Good]);
}

#[test]
fn a_sum_over_the_rendered_bytes_is_recognised() {
    let mut text = String::from_utf8(order(b"|")).expect("ascii");
    let trailer = text.rfind("10=").expect("trailer");
    let rendered = text[..trailer].bytes().fold(0u8, |n, b| n.wrapping_add(b));
    text.truncate(trailer);
    text.push_str(&format!("10={rendered:03}|"));
    let sum = check_sum(text.as_bytes(), &frames(text.as_bytes())[0]);
    assert!(sum.is_rendered() && !sum.is_standard());
}

/// Pieces that make framing interesting, to be strung together.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let seps = prop::sample::select(vec!["\u{1}", "|", "^A", ";"]);
    prop_oneof![
        4 => seps.prop_map(|s| order(s.as_bytes())),
        1 => Just(message("FIX.4.2", &[(35, b"n"), (212, b"16"), (213, b"8=FIX\x019=1\x0110=00"), (95, b"3"), (96, b"\x01\x01=")], b"\x01")),
        1 => prop::sample::select(vec!["\n", "\r\n", "8=FIX", "8=FIX.4.4", "10=", "|10=123|", "8=FIX.4.4|9=40|35=", "9=5", "\u{1}", "95=9", "108=FIX.4.2"])
            .prop_map(|s| s.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn blocks_of_any_size_frame_as_the_whole_does(parts in prop::collection::vec(pieces(), 1..8), flip in any::<(u16, u8)>(), size in 1usize..300) {
        let mut bytes = parts.concat();
        if flip.1 > 60 && !bytes.is_empty() {
            let at = usize::from(flip.0) % bytes.len();
            bytes[at] = flip.1;
        }
        prop_assert_eq!(frames_in_blocks(&bytes, size), frames(&bytes));
    }

    #[test]
    fn the_masked_cutter_agrees_with_its_plain_twin(parts in prop::collection::vec(pieces(), 1..6), sep in prop::sample::select(vec!["\u{1}", "|", "^A", "<SOH>"])) {
        let bytes = parts.concat();
        let separator = Separator::new(sep.as_bytes()).expect("short");
        let (mut cut, mut wrong) = (Vec::new(), Vec::new());
        fields::split(&bytes, separator, &mut cut, &mut wrong);
        let (plain, plain_wrong) = fields::plain(&bytes, separator);
        prop_assert_eq!(cut, plain);
        prop_assert_eq!(wrong, plain_wrong);
    }
}
