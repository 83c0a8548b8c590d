//! Any bytes as a message: cut as the plain twin cuts, laid out, checked and mapped without a panic; tags are JSON.
#![no_main]

use fixtrail::fix::dictionary::{Dictionary, Version};
use fixtrail::fix::group::Groups;
use fixtrail::fix::readings::Readings;
use fixtrail::fix::shape::Shapes;
use fixtrail::fix::validate::Validator;
use fixtrail::fix::{Field, Message, Separator, fields, prefix};
use fixtrail::mapping::{Context, Known, Mapper};
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
    let mut issues = Vec::new();
    Validator::new().check(&message, dictionary, &mut |issue| {
        assert!(!issue.text().is_empty());
        issues.push(issue.code);
    });
    let mut groups = Groups::new();
    let places = match message.get(35).and_then(|kind| dictionary.message(kind)) {
        Some(definition) => groups.lay_out(&message, definition),
        None => &[],
    };
    let context = Context { source: 0, offset: 0, line: 1, capture: None, is_soh: separator.single() == Some(1) };
    let mut shapes = Shapes::default();
    let mut readings = Readings::new(true);
    let known = shapes.find(&message, dictionary).map(|shape| {
        assert_eq!(shape.places(), places);
        shape.learn(&[]);
        let is_right = shape.known_issues(&message, &mut readings).is_some();
        Known { shape, readings: is_right.then_some(&readings) }
    });
    let map = |known: Option<Known>| {
        let mut events = Vec::new();
        Mapper::new().map(&message, places, known, context, None, |event, links| {
            assert!(event.tags.starts_with(b"{") && event.tags.ends_with(b"}"));
            let links = links.is_order_flow.then(|| links.uses.clone());
            events.push((event.kind, event.date, event.times, event.texts, event.numbers, event.tags.clone(), links));
        });
        events
    };
    assert!(map(known) == map(None));
    let mut room = vec![Field { tag: 0, start: 0, end: 0 }; Shapes::MOST_FIELDS];
    let again = shapes.cut(bytes, separator, &mut room).map(|cut| &room[..cut.count]);
    assert!(again.is_none_or(|fields| fields == cut));
});
