//! A message mapped by the plan of its shape is mapped as it is field by field.

use super::*;
use crate::event::{Event, Span};
use crate::fix::dictionary::{Dictionary, Version};
use crate::fix::fields::plain;
use crate::fix::group::Groups;
use crate::fix::readings::Readings;
use crate::fix::shape::Shapes;
use crate::fix::{Message, Separator};
use proptest::prelude::*;

/// Everything that comes out of a mapper for one message.
fn mapped(mapper: &mut Mapper, message: &Message, known: Option<Known<'_>>, is_soh: bool) -> Vec<String> {
    let dictionary = Dictionary::get(Version::Fix44);
    let mut groups = Groups::new();
    let definition = message.fields.get(2).and_then(|field| dictionary.message(message.value(field)));
    let places = definition.map_or(&[][..], |definition| groups.lay_out(message, definition));
    let context = Context { source: 3, offset: 70, line: 2, capture: Some(5), is_soh };
    let mut out = Vec::new();
    mapper.map(message, places, known, context, None, |event: &Event, links: &Links| {
        let text = |span: &Span| span.of(message.bytes).map(|bytes| bytes.escape_ascii().to_string());
        let texts: Vec<_> = event.texts.iter().map(text).collect();
        out.push(format!(
            "{:?} {:?} {:?} {texts:?} {:?} {:?} {:?} {} {:?}",
            event.kind,
            event.date,
            event.times,
            event.numbers,
            event.msg_seq_num,
            event.poss_dup,
            event.tags.escape_ascii(),
            // What a message that is no order flow leaves there is nobody's.
            links.is_order_flow.then_some(links)
        ));
    });
    out.push(format!("{:?}", mapper.troubles()));
    out
}

fn tag() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![
        1, 6, 11, 14, 17, 37, 38, 39, 40, 41, 43, 44, 54, 55, 58, 59, 60, 75, 95, 96, 97, 100, 115, 128, 150, 151, 453,
        448, 447, 452, 526, 554, 583, 1080, 1081, 73, 2887, 2888, 9001, 0,
    ])
}

fn value() -> impl Strategy<Value = &'static [u8]> {
    prop::sample::select(vec![
        &b"1"[..],
        b"2",
        b"Y",
        b"N",
        b"ABC",
        b"NONE",
        b"0",
        b"12x",
        b"94.32",
        b"-0.5",
        b"1234567.8901234567",
        b"99999999999999",
        b"",
        b"say \"hi\"",
        b"back\\slash",
        b"tab\there",
        b"caf\xc3\xa9",
        b"\xff",
        b"20260302",
        b"20260302-14:30:09.442",
        b"20260302-14:30:09",
        b"a value of more than sixteen bytes, which is copied otherwise",
    ])
}

proptest! {
    #[test]
    fn a_plan_maps_as_field_by_field(
        kind in prop::sample::select(vec!["D", "8", "F", "G", "9", "E", "A", "s", "zz"]),
        is_soh in any::<bool>(),
        tags in prop::collection::vec(tag(), 0..14),
        all_values in prop::collection::vec(prop::collection::vec(value(), 14), 1..6),
    ) {
        let dictionary = Dictionary::get(Version::Fix44);
        let separator: &[u8] = if is_soh { b"\x01" } else { b"|" };
        let (mut shapes, mut with_plans, mut plainly) = (Shapes::default(), Mapper::new(), Mapper::new());
        let mut readings = Readings::new(true);
        for values in all_values {
            let mut bytes = format!("8=FIX.4.4|9=5|35={kind}|49=A|56=B|34=7|52=20260302-14:37:41.5|").into_bytes();
            bytes.iter_mut().filter(|b| **b == b'|').for_each(|b| *b = separator[0]);
            for (tag, value) in tags.iter().zip(values) {
                bytes.extend_from_slice(format!("{tag}=").as_bytes());
                bytes.extend_from_slice(value);
                bytes.extend_from_slice(separator);
            }
            bytes.extend_from_slice(b"10=000");
            bytes.extend_from_slice(separator);
            let (fields, _) = plain(&bytes, Separator::new(separator).expect("one byte"));
            let message = Message { bytes: &bytes, fields: &fields };
            let mut shape = shapes.find(&message, dictionary);
            let expected = mapped(&mut plainly, &message, None, is_soh);
            // Whatever the checks say, the values that they read are the same.
            if let Some(shape) = &mut shape {
                shape.learn(&[]);
            }
            let shape = shape.as_deref();
            let is_right = shape.is_some_and(|shape| shape.known_issues(&message, &mut readings).is_some());
            for readings in [None, is_right.then_some(&readings)] {
                let known = shape.map(|shape| Known { shape, readings });
                prop_assert_eq!(&mapped(&mut with_plans, &message, known, is_soh), &expected);
            }
        }
    }
}
