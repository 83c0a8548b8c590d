//! One FIX message as borrowed fields: where each value lies in the message's own bytes.

/// One `tag=value` of a message.
///
/// `start..end` is the value within [`Message::bytes`], without the separator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The tag number, or 0 when the text before `=` is no tag number (a leading zero, a sign, letters, nothing).
    pub tag: u32,
    pub start: u32,
    pub end: u32,
}

/// A framed message and its fields, in the order in which they stand.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// From the `8` of BeginString(8) to the last byte of CheckSum(10), with its separator where there is one.
    pub bytes: &'a [u8],
    pub fields: &'a [Field],
}

impl<'a> Message<'a> {
    /// The bytes of a field's value.
    pub fn value(&self, field: &Field) -> &'a [u8] {
        &self.bytes[field.start as usize..field.end as usize]
    }

    /// The first value of a tag, found by walking.
    pub fn get(&self, tag: u32) -> Option<&'a [u8]> {
        self.fields.iter().find(|f| f.tag == tag).map(|f| self.value(f))
    }
}
