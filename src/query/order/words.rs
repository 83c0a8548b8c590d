//! Words for FIX's codes.

/// Side(54) as a word; what has no word stands as it is.
pub fn side(code: &str) -> &str {
    match code {
        "1" => "buy",
        "2" => "sell",
        "3" => "buy minus",
        "4" => "sell plus",
        "5" => "sell short",
        "6" => "sell short exempt",
        "7" => "undisclosed",
        "8" => "cross",
        "9" => "cross short",
        other => other,
    }
}

/// OrdStatus(39) as words.
pub fn ord_status(code: &str) -> &str {
    match code {
        "0" => "new",
        "1" => "partly filled",
        "2" => "filled",
        "3" => "done for day",
        "4" => "cancelled",
        "5" => "replaced",
        "6" => "pending cancel",
        "7" => "stopped",
        "8" => "rejected",
        "9" => "suspended",
        "A" => "pending new",
        "B" => "calculated",
        "C" => "expired",
        "D" => "accepted for bidding",
        "E" => "pending replace",
        other => other,
    }
}

/// OrdType(40) where the price does not tell it.
pub fn ord_type(code: &str) -> Option<&'static str> {
    match code {
        "1" => Some("market"),
        "3" => Some("stop"),
        "4" => Some("stop limit"),
        "P" => Some("pegged"),
        _ => None,
    }
}
