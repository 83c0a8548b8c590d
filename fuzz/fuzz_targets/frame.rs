//! Framing in blocks of any size gives the frames of the whole, which never overlap or run over the end.
#![no_main]

use fixtrail::fix::checksum::check_sum;
use fixtrail::fix::frame::{Frame, Step, next};
use libfuzzer_sys::fuzz_target;

fn frames(bytes: &[u8], size: usize) -> Vec<Frame> {
    let (mut all, mut kept, mut given) = (Vec::new(), 0, 0);
    loop {
        given = bytes.len().min(given + size);
        let (block, at_end) = (&bytes[kept..given], given == bytes.len());
        let mut at = 0;
        loop {
            match next(block, at, at_end) {
                Step::Frame(mut frame) => {
                    assert!(frame.start >= at && frame.start < frame.end && frame.end <= block.len());
                    check_sum(block, &frame);
                    at = frame.end;
                    for place in [&mut frame.start, &mut frame.end, &mut frame.body, &mut frame.trailer] {
                        *place += kept;
                    }
                    all.push(frame);
                }
                Step::Done => return all,
                Step::More(from) => {
                    assert!(from >= at && !at_end);
                    kept += from;
                    break;
                }
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&size, bytes)) = data.split_first() else { return };
    let whole = frames(bytes, bytes.len().max(1));
    assert_eq!(frames(bytes, usize::from(size) + 1), whole);
});
