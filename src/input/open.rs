//! A source becomes readable: a plain file is mapped, everything else is streamed and decompressed on the way.

use super::blocks::{BlockOptions, Blocks};
use super::decode::{Decoder, Peeked, Raw};
use super::sniff::SNIFF_LEN;
use super::stream::Stream;
use super::{Compression, HEAD_LEN, Origin, SourceSpec};
use crate::{Error, Result};
use memmap2::{Advice, Mmap};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How sources are opened.
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    /// Map plain files into memory. A program that cuts a mapped file short while it is read can end the run by a signal
    /// (SIGBUS); reading without a map copies each byte once and then has only a finding.
    pub map: bool,
    /// Memory that decompressing one xz stream may take, in bytes.
    pub xz_memory: u64,
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions { map: true, xz_memory: 192 << 20 }
    }
}

/// A plain file in memory, and the file to ask for its present length.
pub(super) struct Map {
    pub bytes: Mmap,
    pub file: File,
    pub path: PathBuf,
}

pub(super) enum Content {
    Map(Arc<Map>),
    Stream(Box<Stream>),
}

/// A source that can be read once from its first byte to its last.
pub struct Opened {
    pub name: String,
    /// The compressions that are undone, outermost first; at most two.
    pub compression: Vec<Compression>,
    /// Length of the file as it lies on the disk, or `None` for a pipe.
    pub len_on_disk: Option<u64>,
    pub(super) content: Content,
    pub(super) taken: Arc<AtomicU64>,
}

/// Opens a source.
///
/// # Errors
/// [`Error::Io`] when the operating system refuses. Wrong compressed data is no error: it becomes a
/// [`Damage`](super::Damage) where reading comes to it.
pub fn open(spec: &SourceSpec, options: &OpenOptions) -> Result<Opened> {
    match &spec.origin {
        Origin::Stdin => open_reader(spec.name.clone(), stdin()?, options),
        Origin::Path(path) => {
            let file = File::open(path).map_err(Error::io(path, "cannot read"))?;
            open_file(spec.name.clone(), path, file, options)
        }
    }
}

/// Opens what a reader gives, such as one member of a container, under a name.
///
/// # Errors
/// As [`open`].
pub fn open_reader(name: String, reader: Box<dyn Read + Send>, options: &OpenOptions) -> Result<Opened> {
    let path = PathBuf::from(&name);
    open_stream(name, &path, reader, None, options)
}

/// Standard input without the buffer of the standard library, which would copy each byte once more.
fn stdin() -> Result<Box<dyn Read + Send>> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let fd = io::stdin().as_fd().try_clone_to_owned().map_err(Error::io("standard input", "cannot read"))?;
        Ok(Box::new(File::from(fd)))
    }
    #[cfg(not(unix))]
    Ok(Box::new(io::stdin()))
}

fn open_file(name: String, path: &Path, mut file: File, options: &OpenOptions) -> Result<Opened> {
    let meta = file.metadata().map_err(Error::io(path, "cannot read"))?;
    // Files that the kernel makes up say that they are empty: these are streamed.
    if !meta.is_file() || meta.len() == 0 {
        return open_stream(name, path, Box::new(file), None, options);
    }
    let mut head = [0; SNIFF_LEN];
    let mut seen = 0;
    while seen < head.len() {
        match file.read(&mut head[seen..]) {
            Ok(0) => break,
            Ok(n) => seen += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::io(path, "cannot read")(e)),
        }
    }
    if options.map && Compression::sniff(&head[..seen]).is_none() {
        // SAFETY: the map is read only and private, and is read as plain bytes, for which any value is good, so that a
        // writer can change what we read but not break a rule of the language that we rely on: every parser takes its
        // bounds from the map and checks each byte where it uses it. A file that is cut short leaves pages that cannot be
        // read (SIGBUS): `Blocks` asks for the length again before it hands out a block, which narrows the gap, and
        // `OpenOptions::map` closes it.
        if let Ok(bytes) = unsafe { Mmap::map(&file) } {
            // Advice that is refused changes nothing but the speed.
            let _ = bytes.advise(Advice::Sequential);
            return Ok(Opened {
                name,
                compression: Vec::new(),
                len_on_disk: Some(bytes.len() as u64),
                taken: Arc::new(AtomicU64::new(0)),
                content: Content::Map(Arc::new(Map { bytes, file, path: path.to_path_buf() })),
            });
        }
    }
    let reader = io::Cursor::new(head).take(seen as u64).chain(file);
    open_stream(name, path, Box::new(reader), Some(meta.len()), options)
}

fn open_stream(
    name: String,
    path: &Path,
    reader: Box<dyn Read + Send>,
    len_on_disk: Option<u64>,
    options: &OpenOptions,
) -> Result<Opened> {
    let taken = Arc::new(AtomicU64::new(0));
    let mut bytes = Peeked::new(Box::new(Raw { reader, count: taken.clone() }), SNIFF_LEN);
    let mut compression = Vec::new();
    while let (Some(found), true) = (Compression::sniff(&bytes.head), compression.len() < 2) {
        let decoder = Decoder::new(Box::new(bytes), found, options.xz_memory)
            .map_err(Error::io(path, "cannot start decompressing"))?;
        bytes = Peeked::new(Box::new(decoder), SNIFF_LEN);
        compression.push(found);
    }
    let content = Content::Stream(Box::new(Stream::new(path, bytes)));
    Ok(Opened { name, compression, len_on_disk, content, taken })
}

impl Opened {
    /// The first [`HEAD_LEN`] decompressed bytes, or fewer when there are no more. Does not consume them. On a pipe it
    /// waits for them.
    pub fn head(&mut self) -> &[u8] {
        match &mut self.content {
            Content::Map(map) => &map.bytes[..map.bytes.len().min(HEAD_LEN)],
            Content::Stream(stream) => {
                stream.bytes.extend_head(HEAD_LEN);
                &stream.bytes.head
            }
        }
    }

    /// The source as blocks.
    pub fn blocks(self, options: BlockOptions) -> Blocks {
        Blocks::new(self, options)
    }

    /// How many bytes of the file or pipe are read so far, compressed as they are; another thread may ask while blocks
    /// are cut.
    pub fn progress(&self) -> Progress {
        Progress(self.taken.clone())
    }
}

/// How far the reading of a source has come.
#[derive(Clone, Debug)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// Bytes as they lie on the disk or came through the pipe.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
