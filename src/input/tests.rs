//! Every way of reading the same bytes gives the same blocks; whatever is damaged gives what came before it.

use super::{BlockOptions, Compression, Damage, OpenOptions, Opened, Origin, SourceSpec, open, open_reader};
use proptest::prelude::*;
use std::io::{Cursor, Read, Write};
use std::path::Path;

const ALL: [Compression; 4] = [Compression::Gzip, Compression::Zstd, Compression::Bzip2, Compression::Xz];

fn compressed(compression: Compression, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match compression {
        Compression::Gzip => {
            let mut writer = flate2::write::GzEncoder::new(&mut out, flate2::Compression::new(6));
            writer.write_all(bytes).and_then(|()| writer.finish().map(|_| ())).expect("gzip");
        }
        Compression::Zstd => {
            let mut writer = zstd::Encoder::new(&mut out, 3).expect("zstd");
            writer.include_checksum(true).expect("zstd");
            writer.write_all(bytes).and_then(|()| writer.finish().map(|_| ())).expect("zstd");
        }
        Compression::Bzip2 => {
            let mut writer = bzip2::write::BzEncoder::new(&mut out, bzip2::Compression::new(1));
            writer.write_all(bytes).and_then(|()| writer.finish().map(|_| ())).expect("bzip2");
        }
        Compression::Xz => {
            let mut writer = liblzma::write::XzEncoder::new(&mut out, 1);
            writer.write_all(bytes).and_then(|()| writer.finish().map(|_| ())).expect("xz");
        }
    }
    out
}

/// Gives the bytes in pieces of changing length, as a pipe does.
struct Dribble {
    bytes: Cursor<Vec<u8>>,
    turn: usize,
}

impl Read for Dribble {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.turn += 1;
        let len = out.len().min([1, 7, 64, 3, 1000][self.turn % 5]);
        self.bytes.read(&mut out[..len])
    }
}

fn dribble(bytes: &[u8]) -> Opened {
    let reader = Box::new(Dribble { bytes: Cursor::new(bytes.to_vec()), turn: 0 });
    open_reader("pipe".into(), reader, &OpenOptions::default()).expect("opens")
}

fn file(path: &Path, map: bool) -> Opened {
    let spec = SourceSpec { name: "file".into(), origin: Origin::Path(path.to_path_buf()), is_named: true };
    open(&spec, &OpenOptions { map, ..OpenOptions::default() }).expect("opens")
}

/// The whole content, and the damage.
fn read_all(opened: Opened) -> (Vec<u8>, Option<Damage>) {
    let mut blocks = opened.blocks(BlockOptions { size: 1000, ..BlockOptions::default() });
    let mut all = Vec::new();
    while let Some(block) = blocks.next_block(&[]).expect("no error") {
        assert_eq!(block.offset(), all.len() as u64);
        all.extend_from_slice(&block);
    }
    assert_eq!(blocks.position(), all.len() as u64);
    assert_eq!(blocks.digest(), Some(blake3::hash(&all)));
    (all, blocks.damage().cloned())
}

/// Lines of which each block holds some whole ones: (offset, length, last, consumed).
fn cut_lines(opened: Opened, size: usize) -> Vec<(u64, usize, bool, Vec<u8>)> {
    let mut blocks = opened.blocks(BlockOptions { size, ..BlockOptions::default() });
    let mut cuts = Vec::new();
    let mut carry = Vec::new();
    while let Some(block) = blocks.next_block(&carry).expect("no error") {
        assert_eq!(&block[..carry.len()], &carry[..]);
        let end = if block.is_last() { block.len() } else { memchr::memrchr(b'\n', &block).map_or(0, |at| at + 1) };
        cuts.push((block.offset(), block.len(), block.is_last(), block[..end].to_vec()));
        carry = block[end..].to_vec();
    }
    cuts
}

/// Lines of very different lengths, with few repeats so that compressed data has many blocks.
fn lines(count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut state = 1u32;
    for i in 0..count {
        let len = if i % 50 == 49 { 5000 } else { i % 300 };
        for _ in 0..len {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            bytes.push(b'a' + (state >> 28) as u8);
        }
        bytes.push(b'\n');
    }
    bytes
}

#[test]
fn map_file_pipe_and_compressed_give_the_same_blocks() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("x");
    let content = lines(200);
    std::fs::write(&path, &content).expect("a file");
    for size in [40, 4096, 1 << 20] {
        let expected = cut_lines(file(&path, true), size);
        assert_eq!(expected.iter().flat_map(|c| c.3.clone()).collect::<Vec<_>>(), content);
        assert!(expected.iter().rev().skip(1).all(|c| !c.2) && expected.last().is_some_and(|c| c.2));
        assert_eq!(cut_lines(file(&path, false), size), expected);
        assert_eq!(cut_lines(dribble(&content), size), expected);
        for compression in ALL {
            assert_eq!(cut_lines(dribble(&compressed(compression, &content)), size), expected, "{compression:?}");
        }
    }
}

#[test]
fn looking_at_the_head_takes_nothing_away() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("x");
    let content = lines(1000);
    std::fs::write(&path, &content).expect("a file");
    for mut opened in [file(&path, true), file(&path, false), dribble(&compressed(Compression::Zstd, &content))] {
        assert_eq!(opened.head(), &content[..super::HEAD_LEN]);
        assert_eq!(opened.head().len(), super::HEAD_LEN);
        assert_eq!(read_all(opened), (content.clone(), None));
    }
    assert_eq!(dribble(b"short").head(), b"short");
}

#[test]
fn an_empty_source_has_no_blocks() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("empty");
    std::fs::write(&path, b"").expect("a file");
    assert_eq!(read_all(file(&path, true)), (vec![], None));
    assert_eq!(read_all(dribble(b"")), (vec![], None));
    for compression in ALL {
        assert_eq!(read_all(dribble(&compressed(compression, b""))), (vec![], None), "{compression:?}");
    }
}

#[test]
fn members_follow_each_other_with_empty_ones_and_padding_between() {
    for compression in ALL {
        let (a, b) = (lines(20), lines(7));
        let mut bytes = compressed(compression, &a);
        bytes.extend(compressed(compression, b""));
        bytes.extend([0; 8]);
        bytes.extend(compressed(compression, &b));
        bytes.extend([0; 512]);
        let opened = dribble(&bytes);
        assert_eq!(opened.compression, [compression]);
        assert_eq!(read_all(opened), ([a.clone(), b.clone()].concat(), None), "{compression:?}");
        bytes.extend(b"junk that is not compressed");
        let (all, damage) = read_all(dribble(&bytes));
        let expected = format!("{} data: what follows is not compressed", compression.as_str());
        assert_eq!(damage, Some(Damage { offset: all.len() as u64, what: expected }));
        assert_eq!(all, [a, b].concat());
    }
}

#[test]
fn zstd_frames_to_be_skipped_are_skipped() {
    let skip = [&[0x53, 0x2a, 0x4d, 0x18, 5, 0, 0, 0][..], b"hello"].concat();
    let frame = compressed(Compression::Zstd, b"8=FIX");
    let leading = [&skip[..], &frame].concat();
    assert_eq!(read_all(dribble(&leading)), (b"8=FIX".to_vec(), None));
    let between = [&frame[..], &skip, &frame, &skip].concat();
    assert_eq!(read_all(dribble(&between)), (b"8=FIX8=FIX".to_vec(), None));
}

#[test]
fn one_compression_within_another_is_undone_and_a_third_is_not() {
    let gzip = compressed(Compression::Gzip, b"8=FIX.4.4\n");
    let twice = compressed(Compression::Zstd, &gzip);
    let opened = dribble(&twice);
    assert_eq!(opened.compression, [Compression::Zstd, Compression::Gzip]);
    assert_eq!(read_all(opened), (b"8=FIX.4.4\n".to_vec(), None));
    assert_eq!(read_all(dribble(&compressed(Compression::Xz, &twice))).0, gzip);
    // The damage of the outer one is told, not that the inner one is cut off.
    let (all, damage) = read_all(dribble(&twice[..twice.len() - 20]));
    assert_eq!(damage, Some(Damage { offset: all.len() as u64, what: "zstd data: cut off in the middle".into() }));
}

#[test]
fn data_cut_at_any_byte_gives_its_beginning_and_the_damage() {
    let content = lines(14);
    for compression in ALL {
        let bytes = compressed(compression, &content);
        let mut longest = 0;
        for cut in 10..bytes.len() {
            let (all, damage) = read_all(open_slice(&bytes[..cut]));
            assert!(content.starts_with(&all), "{compression:?} {cut}");
            let damage = damage.unwrap_or_else(|| panic!("{compression:?} cut at {cut}: no damage"));
            assert_eq!(damage.offset, all.len() as u64);
            assert!(damage.what.starts_with(compression.as_str()), "{}", damage.what);
            longest = longest.max(all.len());
        }
        // What is missing at the end is a checksum or an index, not content.
        assert_eq!(longest, content.len(), "{compression:?}");
    }
}

fn open_slice(bytes: &[u8]) -> Opened {
    open_reader("pipe".into(), Box::new(Cursor::new(bytes.to_vec())), &OpenOptions::default()).expect("opens")
}

#[test]
fn a_cut_in_a_long_stream_loses_no_more_than_the_block_it_hits() {
    let content = lines(8000);
    for (compression, most_lost) in [
        (Compression::Gzip, 1 << 16),
        (Compression::Zstd, 2 << 17),
        (Compression::Bzip2, 2 * 100_000),
        (Compression::Xz, 1 << 16),
    ] {
        let bytes = compressed(compression, &content);
        let cut = bytes.len() * 9 / 10;
        let (all, damage) = read_all(open_slice(&bytes[..cut]));
        assert!(damage.is_some() && content.starts_with(&all));
        assert!(all.len() + most_lost > content.len() * 9 / 10, "{compression:?}: {} of {}", all.len(), content.len());
        // The same with a byte changed there instead.
        let mut bytes = bytes;
        bytes[cut] ^= 0x10;
        let (all, damage) = read_all(open_slice(&bytes));
        assert!(damage.is_some(), "{compression:?}");
        let same = all.iter().zip(&content).take_while(|(a, b)| a == b).count();
        assert!(same + most_lost > content.len() * 9 / 10, "{compression:?}: {same} of {}", content.len());
    }
}

#[test]
fn a_block_grows_for_what_is_not_consumed_up_to_the_limit() {
    let content = vec![b'x'; 10_000];
    let options = BlockOptions { size: 1000, limit: 3000, digest: false };
    let mut blocks = open_slice(&content).blocks(options);
    let mut lens = Vec::new();
    let mut carry = Vec::new();
    let text = loop {
        match blocks.next_block(&carry) {
            Ok(block) => {
                let block = block.expect("not at the end");
                lens.push((block.len(), block.is_at_limit()));
                carry = block.to_vec();
            }
            Err(e) => break e.to_string(),
        }
    };
    assert_eq!(lens, [(1000, false), (2000, false), (3000, true)]);
    assert_eq!(
        text,
        "pipe: nothing in the 3000 bytes from offset 0 can be read as a whole; longer messages are not read"
    );
    // The consumer may also drop what it cannot read, and go on.
    let block = blocks.next_block(&carry[2900..]).expect("no error").expect("a block");
    assert_eq!((block.offset(), block.len()), (2900, 1000));
}

#[test]
fn a_mapped_file_that_is_cut_short_is_a_damage() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("x");
    std::fs::write(&path, vec![b'x'; 100_000]).expect("a file");
    let mut blocks = file(&path, true).blocks(BlockOptions { size: 40_000, ..BlockOptions::default() });
    assert_eq!(blocks.next_block(&[]).expect("no error").map(|b| b.len()), Some(40_000));
    std::fs::OpenOptions::new().write(true).open(&path).and_then(|f| f.set_len(50_000)).expect("cut");
    let block = blocks.next_block(&[]).expect("no error").expect("a block");
    assert_eq!((block.offset(), block.len(), block.is_last()), (40_000, 10_000, true));
    assert!(blocks.next_block(&[]).expect("no error").is_none());
    let what = "the file was cut from 100000 to 50000 bytes while it was read".to_string();
    assert_eq!(blocks.damage(), Some(&Damage { offset: 50_000, what }));
}

#[test]
fn progress_counts_the_bytes_of_the_file_as_it_lies_there() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("x.gz");
    let bytes = compressed(Compression::Gzip, &lines(500));
    std::fs::write(&path, &bytes).expect("a file");
    let opened = file(&path, true);
    assert_eq!(opened.len_on_disk, Some(bytes.len() as u64));
    let progress = opened.progress();
    read_all(opened);
    assert_eq!(progress.bytes(), bytes.len() as u64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_bit_flipped_is_damage_or_harmless(which in 0..4usize, place in any::<prop::sample::Index>(), bit in 0..8u32) {
        let content = lines(40);
        let mut bytes = compressed(ALL[which], &content);
        let at = place.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let (all, damage) = read_all(open_slice(&bytes));
        // A flip in the magic makes it another file; one in a name or a time of the header changes nothing; any other is
        // found by the checks of the format.
        if at >= super::sniff::SNIFF_LEN && damage.is_none() {
            prop_assert_eq!(all, content);
        }
    }

    #[test]
    fn random_bytes_behind_a_magic_end(which in 0..5usize, tail in prop::collection::vec(any::<u8>(), 0..3000), keep in 0..40usize) {
        let mut bytes = match ALL.get(which) {
            Some(compression) => compressed(*compression, &lines(5)),
            None => Vec::new(),
        };
        bytes.truncate(keep);
        bytes.extend(&tail);
        let (all, damage) = read_all(open_slice(&bytes));
        if Compression::sniff(&bytes).is_none() {
            prop_assert_eq!((all, damage), (bytes, None));
        }
    }

    #[test]
    fn whatever_is_carried_over_comes_again_first(content in prop::collection::vec(any::<u8>(), 0..3000), size in 1..500usize, takes in prop::collection::vec(0..600usize, 1..20)) {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("x");
        std::fs::write(&path, &content).expect("a file");
        for opened in [file(&path, true), file(&path, false), dribble(&compressed(Compression::Gzip, &content))] {
            let mut blocks = opened.blocks(BlockOptions { size, ..BlockOptions::default() });
            let mut seen = Vec::new();
            let mut carry = Vec::new();
            let mut turn = 0;
            while let Some(block) = blocks.next_block(&carry).expect("no error") {
                prop_assert_eq!(block.offset(), seen.len() as u64);
                let end = if block.is_last() { block.len() } else { takes[turn % takes.len()].min(block.len()) };
                seen.extend_from_slice(&block[..end]);
                carry = block[end..].to_vec();
                turn += 1;
            }
            prop_assert_eq!(&seen, &content);
            prop_assert_eq!(blocks.digest(), Some(blake3::hash(&content)));
        }
    }
}
