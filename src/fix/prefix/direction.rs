//! Which way a message went, by the words and arrows in the line before it.

use super::Direction::{self, In, Out};

/// Looks for plain words first (`incoming`, `Sending`), then for an arrow at either end, then for `in`, `out`, `I`, `O`
/// where they do not stand within a sentence. Contradiction is no answer.
pub(super) fn find(line: &[u8]) -> Option<Direction> {
    let mut plain = Votes::default();
    let mut short = Votes::default();
    let mut at = 0;
    while at < line.len() {
        let len = line[at..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
        if len > 0 {
            let word = &line[at..at + len];
            match plain_word(word) {
                Some(direction) => plain.add(direction),
                None => {
                    if let Some(direction) = short_word(word)
                        && stands_alone(line, at, at + len)
                    {
                        short.add(direction);
                    }
                }
            }
        }
        at += len.max(1);
    }
    if !plain.is_empty() {
        return plain.verdict();
    }
    arrow(line).or_else(|| short.verdict())
}

#[derive(Default)]
struct Votes {
    for_in: bool,
    for_out: bool,
}

impl Votes {
    fn add(&mut self, direction: Direction) {
        match direction {
            In => self.for_in = true,
            Out => self.for_out = true,
        }
    }

    fn is_empty(&self) -> bool {
        !self.for_in && !self.for_out
    }

    fn verdict(&self) -> Option<Direction> {
        match (self.for_in, self.for_out) {
            (true, false) => Some(In),
            (false, true) => Some(Out),
            _ => None,
        }
    }
}

/// Words that mean a direction wherever they stand, also as part of a name such as `TracingIncomingMessage`; and the
/// names of the engines' callbacks.
fn plain_word(word: &[u8]) -> Option<Direction> {
    const PARTS: [(&[u8], Direction); 4] =
        [(b"incoming", In), (b"outgoing", Out), (b"inbound", In), (b"outbound", Out)];
    const WORDS: [(&[u8], Direction); 16] = [
        (b"receiving", In),
        (b"received", In),
        (b"receive", In),
        (b"recv", In),
        (b"rcvd", In),
        (b"rx", In),
        (b"fromapp", In),
        (b"fromadmin", In),
        (b"sending", Out),
        (b"sent", Out),
        (b"send", Out),
        (b"tx", Out),
        (b"toapp", Out),
        (b"toadmin", Out),
        (b"transmitted", Out),
        (b"transmitting", Out),
    ];
    // The first letters settle most words.
    let is_whole = matches!(word[0] | 0x20, b'r' | b'f' | b's' | b't');
    if is_whole && let Some((_, direction)) = WORDS.iter().find(|(w, _)| w.eq_ignore_ascii_case(word)) {
        return Some(*direction);
    }
    if word.len() < 7 {
        return None;
    }
    // All parts start with one of two letters, which most places of a word do not have.
    (0..word.len() - 6).filter(|at| matches!(word[*at] | 0x20, b'i' | b'o')).find_map(|at| {
        let starts = |part: &[u8]| word[at..].get(..part.len()).is_some_and(|w| w.eq_ignore_ascii_case(part));
        PARTS.iter().find(|(part, _)| starts(part)).map(|(_, direction)| *direction)
    })
}

fn short_word(word: &[u8]) -> Option<Direction> {
    match word {
        b"I" => Some(In),
        b"O" => Some(Out),
        _ if word.eq_ignore_ascii_case(b"in") => Some(In),
        _ if word.eq_ignore_ascii_case(b"out") => Some(Out),
        _ => None,
    }
}

/// The word touches nothing that would make it part of a name, and is not between two words of a sentence.
fn stands_alone(line: &[u8], start: usize, end: usize) -> bool {
    let glues = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/') || *b >= 0x80;
    if line[..start].last().is_some_and(glues) || line[end..].first().is_some_and(glues) {
        return false;
    }
    let is_letter = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphabetic);
    !(is_letter(line[..start].trim_ascii_end().last()) && is_letter(line[end..].trim_ascii_start().first()))
}

/// An arrow as the first or last thing of the line: `->`, `-->`, `==>`, `>>` go out, their mirror images come in. The
/// arrow within `FIX.4.4:SND->TGT` is a session's name.
fn arrow(line: &[u8]) -> Option<Direction> {
    let is_arrow = |b: &&u8| matches!(**b, b'-' | b'=' | b'<' | b'>');
    let is_filler = |b: &u8| matches!(*b, 0 | b' ' | b'\t' | b'(' | b'[' | b'"' | b'\'');
    let end = line.len() - line.iter().rev().take_while(|b| is_filler(b)).count();
    let start = end - line[..end].iter().rev().take_while(is_arrow).count();
    let last = (!line[..start].last().is_some_and(u8::is_ascii_alphanumeric)).then(|| points(&line[start..end]));
    last.flatten().or_else(|| {
        let line = line.trim_ascii_start();
        let len = line.iter().take_while(is_arrow).count();
        let (first, rest) = line.split_at(len);
        if rest.first().is_some_and(u8::is_ascii_alphanumeric) { None } else { points(first) }
    })
}

fn points(arrow: &[u8]) -> Option<Direction> {
    if arrow.len() < 2 {
        return None;
    }
    Votes { for_in: arrow.contains(&b'<'), for_out: arrow.contains(&b'>') }.verdict()
}
