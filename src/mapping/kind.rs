//! What a message does: MsgType(35), and for reports ExecType(150), ExecTransType(20) and OrdStatus(39).

use crate::event::Kind;

/// A MsgType(35) of one or two characters as a number, which is compared in one step; 0 for any other.
pub type MsgCode = u16;

/// The code of a MsgType.
pub const fn msg_code(msg_type: &[u8]) -> MsgCode {
    match msg_type {
        [a] => *a as u16,
        [a, b] => *a as u16 | (*b as u16) << 8,
        _ => 0,
    }
}

/// Codes of the messages that the mapping tells apart.
pub mod msg {
    use super::{MsgCode, msg_code};

    pub const NEW_ORDER_SINGLE: MsgCode = msg_code(b"D");
    pub const NEW_ORDER_LIST: MsgCode = msg_code(b"E");
    pub const NEW_ORDER_MULTILEG: MsgCode = msg_code(b"AB");
    pub const NEW_ORDER_CROSS: MsgCode = msg_code(b"s");
    pub const REPLACE: MsgCode = msg_code(b"G");
    pub const REPLACE_MULTILEG: MsgCode = msg_code(b"AC");
    pub const REPLACE_CROSS: MsgCode = msg_code(b"t");
    pub const CANCEL: MsgCode = msg_code(b"F");
    pub const CANCEL_CROSS: MsgCode = msg_code(b"u");
    pub const EXECUTION_REPORT: MsgCode = msg_code(b"8");
    pub const CANCEL_REJECT: MsgCode = msg_code(b"9");
    pub const STATUS_REQUEST: MsgCode = msg_code(b"H");
}

const LISTS: [MsgCode; 5] = codes([b"K", b"L", b"M", b"N", b"m"]);
const ALLOCATIONS: [MsgCode; 7] = codes([b"J", b"P", b"AS", b"AT", b"AK", b"AU", b"BM"]);
const TRADES: [MsgCode; 4] = codes([b"AE", b"AR", b"AD", b"AQ"]);
const QUOTES: [MsgCode; 12] = codes([b"R", b"S", b"Z", b"a", b"b", b"i", b"AG", b"AH", b"AI", b"AJ", b"CW", b"AY"]);
const SESSION: [MsgCode; 7] = codes([b"0", b"1", b"2", b"3", b"4", b"5", b"A"]);

const fn codes<const N: usize>(types: [&[u8]; N]) -> [MsgCode; N] {
    let mut all = [0; N];
    let mut i = 0;
    while i < N {
        all[i] = msg_code(types[i]);
        i += 1;
    }
    all
}

/// The kind of an event. `exec_type`, `exec_trans_type` and `ord_status` are empty where the message has none.
pub fn event_kind(
    msg_type: MsgCode,
    exec_type: &[u8],
    exec_trans_type: &[u8],
    ord_status: &[u8],
    filled: bool,
) -> Kind {
    match msg_type {
        msg::EXECUTION_REPORT => report_kind(exec_type, exec_trans_type, ord_status, filled),
        // A list's rows are its orders, each of which is new.
        msg::NEW_ORDER_SINGLE | msg::NEW_ORDER_LIST | msg::NEW_ORDER_MULTILEG | msg::NEW_ORDER_CROSS => Kind::New,
        msg::REPLACE | msg::REPLACE_MULTILEG | msg::REPLACE_CROSS => Kind::Replace,
        msg::CANCEL | msg::CANCEL_CROSS => Kind::Cancel,
        msg::CANCEL_REJECT => Kind::CancelRejected,
        msg::STATUS_REQUEST => Kind::Status,
        other if SESSION.contains(&other) => Kind::Session,
        other if LISTS.contains(&other) => Kind::List,
        other if ALLOCATIONS.contains(&other) => Kind::Allocation,
        other if TRADES.contains(&other) => Kind::Trade,
        other if QUOTES.contains(&other) => Kind::Quote,
        _ => Kind::Other,
    }
}

/// ExecTransType(20) exists up to FIX 4.2 and has the last word there; 4.0 has no ExecType(150), so OrdStatus(39) and a
/// LastShares(32) above zero decide.
fn report_kind(exec_type: &[u8], exec_trans_type: &[u8], ord_status: &[u8], filled: bool) -> Kind {
    let one = |text: &[u8]| if let [byte] = text { *byte } else { 0 };
    match one(exec_trans_type) {
        b'1' => return Kind::Bust,
        b'2' => return Kind::Correct,
        b'3' => return Kind::Status,
        _ => {}
    }
    match one(if exec_type.is_empty() { ord_status } else { exec_type }) {
        b'F' => Kind::Fill,
        b'1' | b'2' if !exec_type.is_empty() || filled => Kind::Fill,
        b'G' => Kind::Correct,
        b'H' => Kind::Bust,
        b'0' => Kind::Ack,
        b'A' | b'6' | b'E' => Kind::Pending,
        b'4' => Kind::Cancelled,
        b'5' => Kind::Replaced,
        b'8' => Kind::Rejected,
        b'C' => Kind::Expired,
        b'3' => Kind::Done,
        _ => Kind::Status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_told_apart_in_every_version() {
        let kind = |exec_type: &str, trans: &str, status: &str, filled| {
            event_kind(msg::EXECUTION_REPORT, exec_type.as_bytes(), trans.as_bytes(), status.as_bytes(), filled)
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
        assert_eq!(event_kind(msg_code(b"A"), b"", b"", b"", false), Kind::Session);
        assert_eq!(event_kind(msg_code(b"AB"), b"", b"", b"", false), Kind::New);
        assert_eq!(event_kind(msg_code(b"AE"), b"", b"", b"", false), Kind::Trade);
        assert_eq!(event_kind(msg_code(b"AS"), b"", b"", b"", false), Kind::Allocation);
        assert_eq!(event_kind(msg_code(b"s"), b"", b"", b"", false), Kind::New);
        assert_eq!(event_kind(msg_code(b"S"), b"", b"", b"", false), Kind::Quote);
        assert_eq!(event_kind(msg_code(b""), b"", b"", b"", false), Kind::Other);
    }
}
