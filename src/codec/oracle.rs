//! Slow and plain decoders that prove the encoders: each returns nothing when the bytes end too early or say nonsense.

/// Bytes being read from the front.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes }
    }

    /// How many bytes are left.
    pub(super) fn rest(&self) -> usize {
        self.bytes.len()
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for place in 0..10 {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7F).checked_shl(7 * place)?;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn packed(&mut self, width: u32, count: usize) -> Option<Vec<u64>> {
        let bytes = self.take((count * width as usize).div_ceil(8))?;
        let bit = |place: usize| u64::from(bytes[place / 8] >> (place % 8) & 1);
        Some((0..count).map(|i| (0..width as usize).map(|b| bit(i * width as usize + b) << b).sum()).collect())
    }
}

/// DELTA_BINARY_PACKED of numbers with `bits` bits.
pub(super) fn read_delta(reader: &mut Reader, bits: u32) -> Option<Vec<i64>> {
    let narrow = |value: i64| if bits == 32 { i64::from(value as i32) } else { value };
    let block = reader.unsigned()? as usize;
    let minis = reader.unsigned()? as usize;
    let total = reader.unsigned()? as usize;
    let mut value = reader.signed()?;
    if total > 1 << 24 || block == 0 || !block.is_multiple_of(128) || minis == 0 || !(block / minis).is_multiple_of(32)
    {
        return None;
    }
    let mut values = Vec::new();
    if total > 0 {
        values.push(value);
    }
    while values.len() < total {
        let least = reader.signed()?;
        for width in reader.take(minis)? {
            if values.len() == total {
                break;
            }
            if u32::from(*width) > bits {
                return None;
            }
            for above in reader.packed(u32::from(*width), block / minis)? {
                if values.len() < total {
                    value = narrow(value.wrapping_add(least).wrapping_add(above as i64));
                    values.push(value);
                }
            }
        }
    }
    Some(values)
}

/// The hybrid of runs and packed values.
pub(super) fn read_hybrid(reader: &mut Reader, width: u32, count: usize) -> Option<Vec<u64>> {
    let mut values = Vec::new();
    while values.len() < count {
        let header = reader.unsigned()?;
        if header & 1 == 1 {
            values.extend(reader.packed(width, (header >> 1) as usize * 8)?);
        } else {
            let bytes = reader.take(width.div_ceil(8) as usize)?;
            let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            let run = (header >> 1) as usize;
            if run == 0 || values.len() + run > count {
                return None;
            }
            values.extend(std::iter::repeat_n(value, run));
        }
    }
    // Packed runs hold whole eights; what is too much is padding.
    if values.len() >= count + 8 {
        return None;
    }
    values.truncate(count);
    Some(values)
}

/// PLAIN byte strings.
pub(super) fn read_plain(reader: &mut Reader, count: usize) -> Option<Vec<Vec<u8>>> {
    (0..count)
        .map(|_| {
            let length = reader.take(4)?;
            Some(reader.take(u32::from_le_bytes(length.try_into().ok()?) as usize)?.to_vec())
        })
        .collect()
}

/// DELTA_LENGTH_BYTE_ARRAY.
pub(super) fn read_lengths_first(reader: &mut Reader) -> Option<Vec<Vec<u8>>> {
    let lengths = read_delta(reader, 32)?;
    lengths.iter().map(|length| Some(reader.take(usize::try_from(*length).ok()?)?.to_vec())).collect()
}

/// DELTA_BYTE_ARRAY.
pub(super) fn read_prefixes(reader: &mut Reader) -> Option<Vec<Vec<u8>>> {
    let shared = read_delta(reader, 32)?;
    let suffixes = read_lengths_first(reader)?;
    if shared.len() != suffixes.len() {
        return None;
    }
    let mut previous = Vec::new();
    let mut values = Vec::new();
    for (shared, suffix) in shared.iter().zip(suffixes) {
        let mut value: Vec<u8> = previous.get(..usize::try_from(*shared).ok()?)?.to_vec();
        value.extend(suffix);
        previous.clone_from(&value);
        values.push(value);
    }
    Some(values)
}
