//! What a message does: MsgType(35), and for reports ExecType(150), ExecTransType(20) and OrdStatus(39).

use crate::event::Kind;

/// The kind of an event. `exec_type`, `exec_trans_type` and `ord_status` are empty where the message has none.
pub fn event_kind(msg_type: &[u8], exec_type: &[u8], exec_trans_type: &[u8], ord_status: &[u8], filled: bool) -> Kind {
    match msg_type {
        // E's rows are its orders, each of which is new.
        b"D" | b"E" | b"AB" | b"s" => Kind::New,
        b"G" | b"AC" | b"t" => Kind::Replace,
        b"F" | b"u" => Kind::Cancel,
        b"8" => report_kind(exec_type, exec_trans_type, ord_status, filled),
        b"9" => Kind::CancelRejected,
        b"H" => Kind::Status,
        b"K" | b"L" | b"M" | b"N" | b"m" => Kind::List,
        b"J" | b"P" | b"AS" | b"AT" | b"AK" | b"AU" | b"BM" => Kind::Allocation,
        b"AE" | b"AR" | b"AD" | b"AQ" => Kind::Trade,
        b"R" | b"S" | b"Z" | b"a" | b"b" | b"i" | b"AG" | b"AH" | b"AI" | b"AJ" | b"CW" => Kind::Quote,
        b"0" | b"1" | b"2" | b"3" | b"4" | b"5" | b"A" => Kind::Session,
        _ => Kind::Other,
    }
}

/// ExecTransType(20) exists up to FIX 4.2 and has the last word there; 4.0 has no ExecType(150), so OrdStatus(39) and a
/// LastShares(32) above zero decide.
fn report_kind(exec_type: &[u8], exec_trans_type: &[u8], ord_status: &[u8], filled: bool) -> Kind {
    match exec_trans_type {
        b"1" => return Kind::Bust,
        b"2" => return Kind::Correct,
        b"3" => return Kind::Status,
        _ => {}
    }
    match if exec_type.is_empty() { ord_status } else { exec_type } {
        b"F" => Kind::Fill,
        b"1" | b"2" if !exec_type.is_empty() || filled => Kind::Fill,
        b"G" => Kind::Correct,
        b"H" => Kind::Bust,
        b"0" => Kind::Ack,
        b"A" | b"6" | b"E" => Kind::Pending,
        b"4" => Kind::Cancelled,
        b"5" => Kind::Replaced,
        b"8" => Kind::Rejected,
        b"C" => Kind::Expired,
        b"3" => Kind::Done,
        _ => Kind::Status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_told_apart_in_every_version() {
        let kind = |exec_type: &str, trans: &str, status: &str, filled| {
            event_kind(b"8", exec_type.as_bytes(), trans.as_bytes(), status.as_bytes(), filled)
        };
        // 4.3 and later: ExecType F, G, H.
        assert_eq!(kind("F", "", "1", true), Kind::Fill);
        assert_eq!(kind("G", "", "1", true), Kind::Correct);
        assert_eq!(kind("H", "", "0", false), Kind::Bust);
        // 4.1 and 4.2: ExecType is the status, ExecTransType tells busts.
        assert_eq!(kind("1", "0", "1", true), Kind::Fill);
        assert_eq!(kind("2", "0", "2", true), Kind::Fill);
        assert_eq!(kind("2", "1", "2", true), Kind::Bust);
        assert_eq!(kind("1", "2", "1", true), Kind::Correct);
        assert_eq!(kind("0", "3", "0", false), Kind::Status);
        // 4.0: no ExecType.
        assert_eq!(kind("", "0", "1", true), Kind::Fill);
        assert_eq!(kind("", "0", "1", false), Kind::Status);
        assert_eq!(kind("", "0", "4", false), Kind::Cancelled);
        for (exec_type, expected) in [
            ("0", Kind::Ack),
            ("A", Kind::Pending),
            ("6", Kind::Pending),
            ("E", Kind::Pending),
            ("4", Kind::Cancelled),
            ("5", Kind::Replaced),
            ("8", Kind::Rejected),
            ("C", Kind::Expired),
            ("3", Kind::Done),
            ("I", Kind::Status),
            ("D", Kind::Status),
        ] {
            assert_eq!(kind(exec_type, "", "0", false), expected, "{exec_type}");
        }
    }

    #[test]
    fn message_types_that_share_a_letter_are_not_confused() {
        assert_eq!(event_kind(b"A", b"", b"", b"", false), Kind::Session);
        assert_eq!(event_kind(b"AB", b"", b"", b"", false), Kind::New);
        assert_eq!(event_kind(b"AE", b"", b"", b"", false), Kind::Trade);
        assert_eq!(event_kind(b"AS", b"", b"", b"", false), Kind::Allocation);
        assert_eq!(event_kind(b"s", b"", b"", b"", false), Kind::New);
        assert_eq!(event_kind(b"S", b"", b"", b"", false), Kind::Quote);
        assert_eq!(event_kind(b"", b"", b"", b"", false), Kind::Other);
    }
}
