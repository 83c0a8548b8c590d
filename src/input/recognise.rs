//! What a source holds, by its first bytes.

use memchr::memmem;

/// The first bytes of a log archive of this program.
pub const ARCHIVE_MAGIC: [u8; 8] = *b"\x89FXTRL\r\n";

/// What the first bytes of a source look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognised {
    /// `8=FIX` is in it, with whatever around: raw, one or many a line, in JSON or CSV.
    Fix,
    /// FIX that this program does not frame: without BeginString(8), or in an encoding such as quoted-printable.
    FixLike,
    Parquet,
    /// Records of CAT as CSV, as JSON.
    CatCsv,
    CatJson,
    /// A log archive of this program.
    Archive,
    Fixml,
    /// A packet capture.
    Pcap,
    /// A container or compression that is not undone, by name.
    Container(&'static str),
    /// No bytes, or nothing but blanks and zeros.
    Empty,
    Unknown,
}

impl Recognised {
    /// What a person should do about a source that is not read, or `None` when it is.
    pub fn hint(self) -> Option<String> {
        Some(match self {
            Recognised::FixLike => "looks like FIX without BeginString(8), or in a mail or UTF-16 encoding".to_string(),
            Recognised::Fixml => "looks like FIXML; only tag=value FIX is read".to_string(),
            Recognised::Pcap => {
                "looks like a packet capture; extract the TCP payload first, for example with tcpflow".into()
            }
            Recognised::Container(name) => format!("looks like {name}; unpack it first"),
            Recognised::Empty => "is empty".to_string(),
            Recognised::Unknown => "is neither FIX, CAT, Parquet nor an archive".to_string(),
            _ => return None,
        })
    }
}

/// Tells what a source holds from its first [`HEAD_LEN`](super::HEAD_LEN) decompressed bytes.
///
/// ```
/// use fixtrail::input::{Recognised, recognise};
/// assert_eq!(recognise(b"20260415-09:30:00 : 8=FIX.4.4\x019=5\x01"), Recognised::Fix);
/// assert_eq!(recognise(b"PAR1\x15\x04"), Recognised::Parquet);
/// ```
pub fn recognise(head: &[u8]) -> Recognised {
    if let Some(found) = by_magic(head) {
        return found;
    }
    let has = |text: &str| memmem::find(head, text.as_bytes()).is_some();
    if head.iter().all(|b| *b == 0 || b.is_ascii_whitespace()) {
        Recognised::Empty
    } else if has("8=FIX") {
        Recognised::Fix
    } else if has("<FIXML") {
        Recognised::Fixml
    } else if is_cat_json(head) {
        Recognised::CatJson
    } else if is_cat_csv(head) {
        Recognised::CatCsv
    } else if has("8=3DFIX") || has("8\0=\0F\0I\0X\0") || has_headless_fix(head) {
        Recognised::FixLike
    } else {
        Recognised::Unknown
    }
}

fn by_magic(head: &[u8]) -> Option<Recognised> {
    const MAGICS: [(&[u8], Recognised); 14] = [
        (&ARCHIVE_MAGIC, Recognised::Archive),
        (b"PAR1", Recognised::Parquet),
        (b"\xd4\xc3\xb2\xa1", Recognised::Pcap),
        (b"\xa1\xb2\xc3\xd4", Recognised::Pcap),
        (b"\x4d\x3c\xb2\xa1", Recognised::Pcap),
        (b"\xa1\xb2\x3c\x4d", Recognised::Pcap),
        (b"\x0a\x0d\x0d\x0a", Recognised::Pcap),
        (b"PK\x03\x04", Recognised::Container("a zip file")),
        (b"7z\xbc\xaf\x27\x1c", Recognised::Container("a 7z file")),
        (b"\x04\x22\x4d\x18", Recognised::Container("lz4 data")),
        (b"\x1f\x9d", Recognised::Container("data of compress (.Z)")),
        (b"\x1f\x8b\x08", Recognised::Container("gzip data inside two other compressions")),
        (b"\x28\xb5\x2f\xfd", Recognised::Container("zstd data inside two other compressions")),
        (b"ORC", Recognised::Container("an ORC file")),
    ];
    MAGICS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, found)| *found)
}

/// The first line with something on it, without a byte order mark.
fn first_line(head: &[u8]) -> &[u8] {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    &head[..memchr::memchr(b'\n', head).unwrap_or(head.len())]
}

/// A JSON object a line, or an array of them, with the names that records of firms, exchanges, facilities, or the
/// feedback about them always have.
fn is_cat_json(head: &[u8]) -> bool {
    let line = first_line(head);
    let line = if matches!(line, [b'[', ..]) || line == b"{" { head } else { line };
    let has = |name: &str| memmem::find(line, name.as_bytes()).is_some();
    matches!(line.trim_ascii_start().first(), Some(b'{' | b'['))
        && ((has("\"actionType\"") && has("\"firmROEID\""))
            || has("\"errorROEID\"")
            || (has("\"eventTimestamp\"")
                && (has("\"CATReporterIMID\"") || has("\"exchange\"") || has("\"marketCenterID\""))))
}

/// A row of a firm's file: actionType, errorROEID, firmROEID, and for all but deletions the type of a firm's event.
fn is_cat_csv(head: &[u8]) -> bool {
    let mut fields = first_line(head).split(|b| *b == b',').map(|f| f.trim_ascii());
    let action = fields.next().unwrap_or_default();
    let _error_roe_id = fields.next();
    let has_roe_id = fields.next().is_some_and(|f| !f.is_empty());
    let kind = fields.next().unwrap_or_default();
    let is_kind = (3..=6).contains(&kind.len()) && kind[0] == b'M' && kind.iter().all(u8::is_ascii_uppercase);
    has_roe_id && matches!(action, b"NEW" | b"COR" | b"RPR") && is_kind || (action == b"DEL" && has_roe_id)
}

/// `35=` with a MsgType, at the start of a line or behind something that is no letter or digit, and a next field.
fn has_headless_fix(head: &[u8]) -> bool {
    memmem::find_iter(head, b"35=").any(|at| {
        let starts = at == 0 || !head[at - 1].is_ascii_alphanumeric();
        let value = &head[at + 3..];
        let len = value.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        // The separator has one byte in files of this kind.
        let next = value.get(len + 1..).unwrap_or_default();
        let digits = next.iter().take_while(|b| b.is_ascii_digit()).count();
        starts && (1..=3).contains(&len) && (1..=5).contains(&digits) && next.get(digits) == Some(&b'=')
    })
}

#[cfg(test)]
mod tests {
    use super::{ARCHIVE_MAGIC, Recognised, recognise};

    #[test]
    fn fix_is_seen_with_anything_around_it() {
        for text in [
            &b"8=FIX.4.4\x019=5\x0135=0\x01"[..],
            b"\xef\xbb\xbf# log of today\n20260415-09:30:00 : 8=FIXT.1.1|9=5|",
            b"{\"ts\":\"2026-04-15T09:30:00Z\",\"dir\":\"out\",\"msg\":\"8=FIX.4.4\\u00019=65\\u0001\"}\n",
            b"\"2026-04-15 09:30:00\",\"FIX.4.4\",\"8=FIX.4.4\x01\"",
            b"\0\0\0\08=FIX.4.2\x01",
        ] {
            assert_eq!(recognise(text), Recognised::Fix, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn what_is_not_read_yet_is_told_apart_from_junk() {
        for (text, expected) in [
            (&b""[..], Recognised::Empty),
            (b" \r\n\0\0", Recognised::Empty),
            (b"\xef\xbb\xbfhello", Recognised::Unknown),
            (b"20260415-09:30:00.12 : Created session", Recognised::Unknown),
            (b"PAR1....", Recognised::Parquet),
            (&ARCHIVE_MAGIC, Recognised::Archive),
            (b"\xd4\xc3\xb2\xa1\x02\0", Recognised::Pcap),
            (b"\x0a\x0d\x0d\x0a\x1c\0", Recognised::Pcap),
            (b"<?xml version='1.0'?>\n<FIXML v='5.0'>", Recognised::Fixml),
            (b"PK\x03\x04\x14", Recognised::Container("a zip file")),
            (b"8=3DFIX.4.2=019=3D65=0135=3DA", Recognised::FixLike),
            (b"35=d\x015799=00000000\x01980=A", Recognised::FixLike),
            (b"|35=D|11=abc|55=XYZ|", Recognised::FixLike),
            (b"135=D|11=abc|", Recognised::Unknown),
        ] {
            assert_eq!(recognise(text), expected, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn cat_records_are_seen_as_json_and_as_csv() {
        for text in [
            r#"{"actionType":"NEW","firmROEID":"20180417_a1","type":"MENO","CATReporterIMID":"FRMA"}"#,
            r#"{"actionType":"DEL","firmROEID":"20170803_x"}"#,
            r#"{"type":"EOA","exchange":"NSDQ","eventTimestamp":"20180417T143035.424","sequenceNumber":1}"#,
            r#"{"eventTimestamp":"20170801T143035.2","marketCenterID":"DN","tapeTradeID":"T9996"}"#,
            r#"{"errorROEID":70001,"record":"BRK1:20170801_B","errorCode":[3501]}"#,
            "[\n {\"actionType\":\"NEW\",\n  \"firmROEID\":\"20180417_a1\"}]",
        ] {
            assert_eq!(recognise(text.as_bytes()), Recognised::CatJson, "{text}");
        }
        for text in
            ["NEW,,20180417_a1,MENO,FRMA,20180417T153035.234456", "COR,70001,20180417_a1,MEOFS,FRMA", "DEL,,20170803_x"]
        {
            assert_eq!(recognise(text.as_bytes()), Recognised::CatCsv, "{text}");
        }
        for text in ["{\"a\":1}", "{\"eventTimestamp\":1}", "NEW,,x", "NEW,York,City,MANY words", "a,b,c,MENO"] {
            assert_eq!(recognise(text.as_bytes()), Recognised::Unknown, "{text}");
        }
    }
}
