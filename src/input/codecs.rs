//! The four decompressors behind one face: some input in, some output out, and what became of the member.

use super::Compression;
use std::io;

/// What a step of decompression came to.
pub(super) enum Outcome {
    /// The member goes on.
    Going,
    /// The member is complete and its checks hold.
    MemberEnd,
    /// The data is wrong; the text says how. Output of the same step is good.
    Damaged(String),
}

/// Bytes taken, bytes given, and the outcome.
pub(super) struct Step {
    pub consumed: usize,
    pub produced: usize,
    pub outcome: Outcome,
}

/// A decompressor of one member after another.
pub(super) trait Codec: Send {
    /// Makes ready for the first byte of a member.
    fn start_member(&mut self) -> io::Result<()>;
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step;
}

pub(super) fn codec(compression: Compression, xz_memory: u64) -> io::Result<Box<dyn Codec>> {
    Ok(match compression {
        Compression::Gzip => Box::new(Gzip(flate2::Decompress::new_gzip(15))),
        Compression::Zstd => Box::new(Zstd { decoder: zstd::stream::raw::Decoder::new()?, hint: FIRST_HINT }),
        Compression::Bzip2 => Box::new(Bzip2(bzip2::Decompress::new(false))),
        Compression::Xz => Box::new(Xz { stream: xz_stream(xz_memory)?, memory: xz_memory }),
    })
}

/// The step that the counters of a library tell; these counters are right even when the call failed.
fn step(before: (u64, u64), after: (u64, u64), outcome: Outcome) -> Step {
    Step { consumed: (after.0 - before.0) as usize, produced: (after.1 - before.1) as usize, outcome }
}

struct Gzip(flate2::Decompress);

impl Codec for Gzip {
    fn start_member(&mut self) -> io::Result<()> {
        self.0 = flate2::Decompress::new_gzip(15);
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let before = (self.0.total_in(), self.0.total_out());
        let outcome = match self.0.decompress(input, output, flate2::FlushDecompress::None) {
            Ok(flate2::Status::StreamEnd) => Outcome::MemberEnd,
            Ok(_) => Outcome::Going,
            Err(e) => Outcome::Damaged(e.message().unwrap_or("wrong data").to_string()),
        };
        step(before, (self.0.total_in(), self.0.total_out()), outcome)
    }
}

struct Zstd {
    decoder: zstd::stream::raw::Decoder<'static>,
    /// How many bytes the library wants next: a block, and the header of the one behind it.
    hint: usize,
}

/// The shortest frame header.
const FIRST_HINT: usize = 5;

impl Codec for Zstd {
    fn start_member(&mut self) -> io::Result<()> {
        self.hint = FIRST_HINT;
        zstd::stream::raw::Operation::reinit(&mut self.decoder)
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        // The library forgets what it gave in a call that fails. With no more input than it asked for, a call decodes at
        // most one block, so that nothing before the damaged one is lost.
        let wanted = &input[..input.len().min(self.hint.max(1))];
        let mut input = zstd::stream::raw::InBuffer::around(wanted);
        let mut output = zstd::stream::raw::OutBuffer::around(output);
        let outcome = match zstd::stream::raw::Operation::run(&mut self.decoder, &mut input, &mut output) {
            Ok(0) => Outcome::MemberEnd,
            Ok(hint) => {
                self.hint = hint;
                Outcome::Going
            }
            Err(e) => Outcome::Damaged(match e.to_string() {
                text if text.contains("too much memory") => {
                    "its window is above 128 MiB; decompress it with `zstd -d --long=31` first".to_string()
                }
                text => lower_first(&text),
            }),
        };
        Step { consumed: input.pos(), produced: output.pos(), outcome }
    }
}

struct Bzip2(bzip2::Decompress);

impl Codec for Bzip2 {
    fn start_member(&mut self) -> io::Result<()> {
        self.0 = bzip2::Decompress::new(false);
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let before = (self.0.total_in(), self.0.total_out());
        let outcome = match self.0.decompress(input, output) {
            Ok(bzip2::Status::StreamEnd) => Outcome::MemberEnd,
            Ok(bzip2::Status::MemNeeded) => Outcome::Damaged("no memory to decompress it".to_string()),
            Ok(_) => Outcome::Going,
            Err(_) => Outcome::Damaged("a block does not match its checksum or is malformed".to_string()),
        };
        step(before, (self.0.total_in(), self.0.total_out()), outcome)
    }
}

struct Xz {
    stream: liblzma::stream::Stream,
    memory: u64,
}

fn xz_stream(memory: u64) -> io::Result<liblzma::stream::Stream> {
    Ok(liblzma::stream::Stream::new_stream_decoder(memory, 0)?)
}

impl Codec for Xz {
    fn start_member(&mut self) -> io::Result<()> {
        self.stream = xz_stream(self.memory)?;
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let before = (self.stream.total_in(), self.stream.total_out());
        let outcome = match self.stream.process(input, output, liblzma::stream::Action::Run) {
            Ok(liblzma::stream::Status::StreamEnd) => Outcome::MemberEnd,
            Ok(_) => Outcome::Going,
            Err(liblzma::stream::Error::MemLimit) => Outcome::Damaged(format!(
                "it needs more than {} MiB to decompress; decompress it with `xz -d` first",
                self.memory >> 20
            )),
            Err(e) => Outcome::Damaged(lower_first(&e.to_string())),
        };
        step(before, (self.stream.total_in(), self.stream.total_out()), outcome)
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(chars).collect()
}
