//! Numbers and instants of a message, read while their form is checked, so that nobody reads them again.

use super::message::{Field, Message};
use super::tag_tree::MOST_FIELDS;
use super::validate::lexical::{is_decimal, is_utc_timestamp};
use crate::types::timestamp::Clock;
use crate::types::{Decimal, Timestamp, decimal};

/// Stands for a value that is right but was not read. No number is so small; an instant that is will be read again.
const NOT_READ: i64 = i64::MIN;

/// What the fields of one message say, by their places; those that nobody checked hold what earlier messages said.
#[derive(Clone, Debug)]
pub struct Readings {
    /// Somebody will ask for them; otherwise only the form of a value is looked at, which is less work.
    are_wanted: bool,
    values: Box<[i64; MOST_FIELDS]>,
    clock: Clock,
}

impl Readings {
    /// Without `are_wanted` nothing is read.
    pub fn new(are_wanted: bool) -> Readings {
        Readings { are_wanted, values: Box::new([NOT_READ; MOST_FIELDS]), clock: Clock::default() }
    }

    /// The number of a field that was checked: hundred-millionths for a decimal, nanoseconds for an instant. `None` says
    /// that its text has to be read.
    #[inline]
    pub fn get(&self, at: u16) -> Option<i64> {
        self.values.get(usize::from(at)).copied().filter(|value| *value != NOT_READ)
    }

    #[inline]
    fn set(&mut self, at: u16, value: i64) {
        if let Some(place) = self.values.get_mut(usize::from(at)) {
            *place = value;
        }
    }

    /// Whether a field's value is written as a decimal.
    #[inline]
    pub(super) fn decimal(&mut self, message: &Message<'_>, at: u16, field: &Field) -> bool {
        if !self.are_wanted {
            return is_decimal(message.value(field));
        }
        let (start, end) = (field.start as usize, field.end as usize);
        let Some(value) = decimal::short_in(message.bytes, start, end).or_else(|| long_decimal(message.value(field)))
        else {
            return false;
        };
        self.set(at, value);
        true
    }

    /// Whether a field's value is written as an instant. `before` is the field that was asked for before this one:
    /// SendingTime(52) and TransactTime(60) are often one, and then that one was right.
    #[inline]
    pub(super) fn instant(
        &mut self,
        message: &Message<'_>,
        at: u16,
        field: &Field,
        before: Option<(u16, &Field)>,
    ) -> bool {
        let text = message.value(field);
        let value = match before {
            Some((before, other)) if message.value(other) == text => {
                self.set(at, self.get(before).unwrap_or(NOT_READ));
                return true;
            }
            _ if !self.are_wanted => return is_utc_timestamp(text),
            _ => self.clock.parse_fix(text).map(|Timestamp(nanos)| nanos),
        };
        self.set(at, value.unwrap_or(NOT_READ));
        value.is_some() || is_utc_timestamp(text)
    }
}

/// As the hot path reads a decimal, of any length; `None` when it is not written as one.
#[inline(never)]
fn long_decimal(text: &[u8]) -> Option<i64> {
    match Decimal::parse(text) {
        // A plus sign is read, but is not how FIX writes.
        Ok(Decimal(value)) => (!text.starts_with(b"+")).then_some(value),
        Err(_) => is_decimal(text).then_some(NOT_READ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_read_is_what_the_text_says(
            front in "[0-9=.|]{0,9}",
            text in "[-+]?[0-9]{0,12}[.x]?[0-9]{0,10}|(2026|1650|9999)(0302|0230)-1[0-9]:[0-6][0-9]:[0-6][0-9]([.][0-9]{0,13})?",
        ) {
            let bytes = format!("{front}{text}|").into_bytes();
            let field = Field { tag: 1, start: front.len() as u32, end: (front.len() + text.len()) as u32 };
            let message = Message { bytes: &bytes, fields: &[] };
            let text = text.as_bytes();
            let mut readings = Readings::new(true);
            let mut unwanted = Readings::new(false);
            prop_assert_eq!(readings.decimal(&message, 7, &field), is_decimal(text));
            if is_decimal(text) {
                prop_assert_eq!(readings.get(7), Decimal::parse(text).ok().map(|number| number.0));
            }
            prop_assert_eq!(unwanted.decimal(&message, 7, &field), is_decimal(text));
            for before in [None, is_utc_timestamp(text).then_some((9, &field))] {
                prop_assert_eq!(readings.instant(&message, 9, &field, before), is_utc_timestamp(text));
                prop_assert_eq!(readings.get(9), Timestamp::parse_fix(text).map(|time| time.0));
                prop_assert_eq!(unwanted.instant(&message, 9, &field, before), is_utc_timestamp(text));
            }
            prop_assert_eq!((unwanted.get(7), unwanted.get(9)), (None, None));
        }
    }
}
