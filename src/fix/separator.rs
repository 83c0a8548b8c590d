//! The bytes that end a field: 0x01 by the standard, anything from `|` to `<SOH>` in the logs people keep.

/// A field separator of one to six bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Separator {
    bytes: [u8; Separator::MAX],
    len: u8,
}

impl Separator {
    /// The longest separator that is looked for: `\u0001` written out.
    pub const MAX: usize = 6;

    /// The standard's: 0x01.
    pub const SOH: Separator = Separator { bytes: [1, 0, 0, 0, 0, 0], len: 1 };

    /// A separator of these bytes, or `None` when there are none or more than [`Separator::MAX`].
    pub fn new(bytes: &[u8]) -> Option<Separator> {
        if bytes.is_empty() || bytes.len() > Separator::MAX {
            return None;
        }
        let mut separator = Separator { bytes: [0; Separator::MAX], len: bytes.len() as u8 };
        separator.bytes[..bytes.len()].copy_from_slice(bytes);
        Some(separator)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Its one byte, or `None` when it has several.
    pub fn single(&self) -> Option<u8> {
        (self.len == 1).then_some(self.bytes[0])
    }

    /// How many bytes it has; never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }
}
