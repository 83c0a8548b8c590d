//! Any bytes as a source, compressed or not: sniffed, recognised and cut into blocks without a panic or a hang.
#![no_main]

use fixtrail::input::{BlockOptions, OpenOptions, open_reader, recognise};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let reader = Box::new(std::io::Cursor::new(data.to_vec()));
    let Ok(mut opened) = open_reader("fuzz".to_string(), reader, &OpenOptions::default()) else { return };
    recognise(opened.head());
    let mut blocks = opened.blocks(BlockOptions { size: 4096, limit: 1 << 20, digest: false });
    let mut total = 0;
    while let Ok(Some(block)) = blocks.next_block(&[]) {
        total += block.len() as u64;
        if total > 64 << 20 {
            break;
        }
    }
    assert!(total <= blocks.position());
});
