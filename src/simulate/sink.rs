//! Many growing files written in pieces: by this thread, or compressed and written by others behind it.
//!
//! A file's pieces always go to the same thread, so the bytes do not depend on how many there are. Files are opened for
//! each piece, so their number is not bounded by the limit of open files.

use crate::error::{Error, Result};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

/// Bytes that all buffers together may hold before pieces get smaller.
const BUFFER_BYTES: usize = 64 << 20;

struct File {
    path: PathBuf,
    is_compressed: bool,
    buffer: Vec<u8>,
    /// Bytes handed on before those in `buffer`.
    before: u64,
}

struct Piece {
    path: PathBuf,
    bytes: Vec<u8>,
    is_compressed: bool,
}

struct Worker {
    pieces: SyncSender<Piece>,
    thread: JoinHandle<Result<()>>,
}

pub struct Sink {
    files: Vec<File>,
    piece_len: usize,
    workers: Vec<Worker>,
    used_up: Receiver<Vec<u8>>,
}

impl Sink {
    /// Makes the files of `paths`, empty, and their directories. The first `logs` may be compressed. `threads` beside
    /// this one write.
    ///
    /// # Errors
    /// When a directory or file cannot be made.
    pub fn new(paths: Vec<PathBuf>, is_compressed: bool, logs: usize, threads: usize) -> Result<Sink> {
        let piece_len = (BUFFER_BYTES / paths.len().max(1)).clamp(4 << 10, 256 << 10);
        for path in &paths {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(Error::io(parent, "cannot make the directory"))?;
            }
            fs::File::create(path).map_err(Error::io(path, "cannot make the file"))?;
        }
        let (give_back, used_up) = channel();
        let mut workers = Vec::new();
        for _ in 0..threads.min(paths.len()) {
            let (pieces, incoming) = sync_channel(16);
            let give_back = give_back.clone();
            let thread = std::thread::spawn(move || write_all(&incoming, &give_back));
            workers.push(Worker { pieces, thread });
        }
        let file = |(at, path)| File { path, is_compressed: is_compressed && at < logs, buffer: Vec::new(), before: 0 };
        let files = paths.into_iter().enumerate().map(file).collect();
        Ok(Sink { files, piece_len, workers, used_up })
    }

    /// The place of the next byte in the file, as it is before compression.
    pub fn offset(&self, file: u32) -> u64 {
        let file = &self.files[file as usize];
        file.before + file.buffer.len() as u64
    }

    /// Where to append; call [`Sink::settle`] afterwards.
    pub fn buffer(&mut self, file: u32) -> &mut Vec<u8> {
        &mut self.files[file as usize].buffer
    }

    /// Hands the buffer on when it is full.
    pub fn settle(&mut self, file: u32) -> Result<()> {
        if self.files[file as usize].buffer.len() < self.piece_len { Ok(()) } else { self.hand_on(file) }
    }

    fn hand_on(&mut self, at: u32) -> Result<()> {
        let file = &mut self.files[at as usize];
        file.before += file.buffer.len() as u64;
        if self.workers.is_empty() {
            let done = append(&file.path, &file.buffer, file.is_compressed);
            file.buffer.clear();
            return done;
        }
        let mut next = self.used_up.try_recv().unwrap_or_default();
        next.clear();
        let bytes = std::mem::replace(&mut file.buffer, next);
        let piece = Piece { path: file.path.clone(), bytes, is_compressed: file.is_compressed };
        let worker = at as usize % self.workers.len();
        if self.workers[worker].pieces.send(piece).is_err() {
            // A thread only ends early on an error; joining it tells which.
            return self.join();
        }
        Ok(())
    }

    /// Writes all that is left and waits for the threads.
    pub fn finish(mut self) -> Result<()> {
        for at in 0..self.files.len() {
            if !self.files[at].buffer.is_empty() {
                self.hand_on(at as u32)?;
            }
        }
        self.join()
    }

    fn join(&mut self) -> Result<()> {
        let mut outcome = Ok(());
        for worker in self.workers.drain(..) {
            drop(worker.pieces);
            let ended =
                worker.thread.join().unwrap_or_else(|_| Err(Error::Usage("a writing thread broke off".to_string())));
            outcome = outcome.and(ended);
        }
        outcome
    }
}

fn write_all(pieces: &Receiver<Piece>, give_back: &Sender<Vec<u8>>) -> Result<()> {
    for piece in pieces {
        append(&piece.path, &piece.bytes, piece.is_compressed)?;
        // Nobody takes buffers back once the last piece is on its way.
        give_back.send(piece.bytes).ok();
    }
    Ok(())
}

/// Each piece is a zstd frame of its own: frames one after the other are a valid file.
fn append(path: &Path, piece: &[u8], is_compressed: bool) -> Result<()> {
    let mut file = OpenOptions::new().append(true).open(path).map_err(Error::io(path, "cannot open"))?;
    let written = if is_compressed {
        zstd::bulk::compress(piece, 1).and_then(|frame| file.write_all(&frame))
    } else {
        file.write_all(piece)
    };
    written.map_err(Error::io(path, "cannot write"))
}
