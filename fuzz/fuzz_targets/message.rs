//! Any bytes as a message: cut as the plain twin cuts, laid out, checked and mapped without a panic; tags are JSON.
#![no_main]

use fixtrail::fix::dictionary::{Dictionary, Version};
use fixtrail::fix::group::Groups;
use fixtrail::fix::validate::Validator;
use fixtrail::fix::{Message, Separator, fields, prefix};
use fixtrail::mapping::{Context, Mapper};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    prefix::read(bytes);
    let separator = [&b"\x01"[..], b"|", b"^A"][usize::from(choice) % 3];
    let Some(separator) = Separator::new(separator) else { return };
    let (mut cut, mut wrong) = (Vec::new(), Vec::new());
    fields::split(bytes, separator, &mut cut, &mut wrong);
    assert_eq!((cut.clone(), wrong), fields::plain(bytes, separator));
    let message = Message { bytes, fields: &cut };
    let dictionary = Dictionary::get(Version::ALL[usize::from(choice) % Version::ALL.len()]);
    Validator::new().check(&message, dictionary, &mut |issue| assert!(!issue.text().is_empty()));
    let mut groups = Groups::new();
    let places = match message.get(35).and_then(|kind| dictionary.message(kind)) {
        Some(definition) => groups.lay_out(&message, definition),
        None => &[],
    };
    let context = Context { source: 0, offset: 0, line: 1, capture: None };
    Mapper::new().map(&message, places, context, None, |event, _| {
        assert!(event.tags.starts_with(b"{") && event.tags.ends_with(b"}"));
    });
});
