//! Page headers in Thrift's compact protocol: the few fields that Parquet needs, written by hand.

use super::chunk::Coding;
use crate::codec::varint::put_signed;

/// Field types of the compact protocol.
const I32: u8 = 5;
const STRUCT: u8 = 12;
const STOP: u8 = 0;
/// Page types and encodings of the Parquet format.
const DATA_PAGE: i64 = 0;
const DICTIONARY_PAGE: i64 = 2;
const PLAIN: i64 = 0;
const RLE: i64 = 3;

/// The number of an encoding in the format.
fn number(coding: Coding) -> i64 {
    match coding {
        Coding::Plain => PLAIN,
        Coding::Delta => 5,
        Coding::LengthsFirst => 6,
        Coding::Prefixes => 7,
        Coding::Symbols => 8,
    }
}

/// The header of a page of symbols.
pub(super) fn put_symbols_header(count: usize, raw_len: usize, packed_len: usize, out: &mut Vec<u8>) {
    put_sizes(DICTIONARY_PAGE, raw_len, packed_len, out);
    // Field 7 after field 3: dictionary_page_header.
    out.push(4 << 4 | STRUCT);
    put_i32(count as i64, out);
    put_i32(PLAIN, out);
    out.extend_from_slice(&[STOP, STOP]);
}

/// The header of a data page of the first version, whose levels are in the hybrid.
pub(super) fn put_data_header(coding: Coding, levels: usize, raw_len: usize, packed_len: usize, out: &mut Vec<u8>) {
    put_sizes(DATA_PAGE, raw_len, packed_len, out);
    // Field 5 after field 3: data_page_header.
    out.push(2 << 4 | STRUCT);
    put_i32(levels as i64, out);
    put_i32(number(coding), out);
    put_i32(RLE, out);
    put_i32(RLE, out);
    out.extend_from_slice(&[STOP, STOP]);
}

fn put_sizes(page_type: i64, raw_len: usize, packed_len: usize, out: &mut Vec<u8>) {
    put_i32(page_type, out);
    put_i32(raw_len as i64, out);
    put_i32(packed_len as i64, out);
}

/// A field whose number is one more than the last one's.
fn put_i32(value: i64, out: &mut Vec<u8>) {
    out.push(1 << 4 | I32);
    put_signed(value, out);
}
