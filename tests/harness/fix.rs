//! Messages with right lengths and sums.

/// A message of `begin` with these body fields, separated by 0x01.
pub fn message(begin: &str, fields: &[(u32, &str)]) -> Vec<u8> {
    let body: String = fields.iter().map(|(tag, value)| format!("{tag}={value}\u{1}")).collect();
    let head = format!("8={begin}\u{1}9={}\u{1}", body.len());
    let sum = head.bytes().chain(body.bytes()).fold(0u8, |n, b| n.wrapping_add(b));
    format!("{head}{body}10={sum:03}\u{1}").into_bytes()
}

/// A new order from C to B.
pub fn order(seq: u32, cl_ord_id: &str) -> Vec<u8> {
    order_with(seq, cl_ord_id, &[])
}

/// A new order from C to B with more fields at its end.
pub fn order_with(seq: u32, cl_ord_id: &str, more: &[(u32, &str)]) -> Vec<u8> {
    let seq = seq.to_string();
    let mut fields = vec![
        (35, "D"),
        (49, "C"),
        (56, "B"),
        (34, &seq),
        (52, "20260302-14:30:00.000"),
        (11, cl_ord_id),
        (21, "1"),
        (55, "IBM"),
        (54, "1"),
        (60, "20260302-14:30:00.000"),
        (38, "100"),
        (40, "2"),
        (44, "94.32"),
    ];
    fields.extend_from_slice(more);
    message("FIX.4.4", &fields)
}

/// The same bytes with another separator.
pub fn rendered(message: &[u8], separator: &str) -> Vec<u8> {
    message.iter().flat_map(|&b| if b == 1 { separator.as_bytes().to_vec() } else { vec![b] }).collect()
}

/// Messages one a line.
pub fn lines(messages: &[Vec<u8>]) -> Vec<u8> {
    messages.iter().flat_map(|m| [m.as_slice(), b"\n"].concat()).collect()
}
