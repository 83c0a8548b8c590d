//! The one place that knows the crate whose data we use: its dictionaries in, a [`Spec`] out.

use super::codes::CodeSet;
use super::kind::Kind;
use super::quirks;
use super::spec::{Item, Part, Spec, SpecField, SpecMessage};
use super::version::{Added, Version};
use hotfix_dictionary::{Dictionary as Source, Field, LayoutItem, LayoutItemKind};
use std::collections::HashMap;

/// The data of one version; FIX 5.0 and later get header, trailer and admin messages from FIXT.1.1, and so does an
/// older version that is carried over FIXT.
pub(super) fn load(version: Version, over_fixt: bool) -> Spec {
    let source = match version {
        Version::Fix40 => Source::fix40(),
        Version::Fix41 => Source::fix41(),
        Version::Fix42 => Source::fix42(),
        Version::Fix43 => Source::fix43(),
        Version::Fix44 => Source::fix44(),
        Version::Fix50 => Source::fix50(),
        Version::Fix50Sp1 => Source::fix50sp1(),
        Version::Fix50Sp2 => Source::fix50sp2(),
        Version::Fixt11 => Source::fixt11(),
    };
    let mut spec = Spec::default();
    if over_fixt && version != Version::Fixt11 {
        let session = Source::fixt11();
        // The session's own messages come wholly from FIXT, even where the application dictionary has one of that type.
        let admin: Vec<String> = session.messages().iter().map(|m| m.msg_type().to_string()).collect();
        let frame = Reader::new(&session, &mut spec).frame();
        Reader::new(&session, &mut spec).messages(&frame, &[]);
        Reader::new(&source, &mut spec).messages(&frame, &admin);
        // The application dictionary's fields win: its code lists are the richer ones.
        fields(&source, version, &mut spec);
        fields(&session, Version::Fixt11, &mut spec);
        spec.frame = frame.concat();
    } else {
        let frame = Reader::new(&source, &mut spec).frame();
        Reader::new(&source, &mut spec).messages(&frame, &[]);
        fields(&source, version, &mut spec);
        spec.frame = frame.concat();
    }
    spec
}

/// Adds the fields that are not there yet.
fn fields(source: &Source, version: Version, spec: &mut Spec) {
    let present: std::collections::HashSet<u32> = spec.fields.iter().map(|f| f.tag).collect();
    for field in source.fields() {
        let tag = field.tag().get();
        if !present.contains(&tag) {
            let values = quirks::values(version, tag, own_values(source, tag));
            let kind = quirks::kind(version, tag, Kind::from_datatype(field.fix_datatype()), !values.is_empty());
            // A count is not a code, though two dictionaries list 1 and 2 for NoSides(552).
            let codes = (!values.is_empty() && kind != Kind::Unsigned).then(|| CodeSet::new(values, quirks::open(tag)));
            spec.fields.push(SpecField { tag, name: field.name().into(), kind, codes });
        }
    }
    spec.fields.sort_by_key(|f| f.tag);
}

/// The values of a field, or those of the field whose list it shares.
fn own_values(source: &Source, tag: u32) -> Vec<(String, String)> {
    let read = |field: Field<'_>| -> Vec<(String, String)> {
        field.enums().into_iter().flatten().map(|e| (e.value().to_string(), e.description().to_string())).collect()
    };
    let values = source.field_by_tag(tag).map(read).unwrap_or_default();
    match quirks::same_codes_as(tag) {
        Some(other) if values.is_empty() => source.field_by_tag(other).map(read).unwrap_or_default(),
        _ => values,
    }
}

/// Reads layouts, each component once.
struct Reader<'a> {
    source: &'a Source,
    spec: &'a mut Spec,
    components: HashMap<String, usize>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source, spec: &'a mut Spec) -> Self {
        Reader { source, spec, components: HashMap::new() }
    }

    /// Header and trailer.
    fn frame(&mut self) -> [Vec<Item>; 2] {
        ["StandardHeader", "StandardTrailer"].map(|name| match self.source.component_by_name(name) {
            Some(component) => component.items().map(|item| self.item(&item)).collect(),
            None => Vec::new(),
        })
    }

    fn messages(&mut self, frame: &[Vec<Item>; 2], except: &[String]) {
        let source = self.source;
        let mut messages = source.messages();
        messages.sort_by(|a, b| a.msg_type().cmp(b.msg_type()));
        for message in messages.iter().filter(|m| !except.iter().any(|e| e == m.msg_type())) {
            let mut items = frame[0].clone();
            items.extend(message.layout().map(|item| self.item(&item)));
            items.extend_from_slice(&frame[1]);
            self.spec.messages.push(SpecMessage {
                msg_type: message.msg_type().into(),
                name: message.name().into(),
                items,
            });
        }
    }

    fn item(&mut self, item: &LayoutItem<'_>) -> Item {
        let part = match item.kind() {
            LayoutItemKind::Field(field) => Part::Field(field.tag().get()),
            LayoutItemKind::Component(component) => {
                let body = match self.components.get(component.name()) {
                    Some(&body) => body,
                    None => {
                        let body = self.reserve();
                        self.components.insert(component.name().to_string(), body);
                        self.spec.bodies[body] = component.items().map(|item| self.item(&item)).collect();
                        body
                    }
                };
                Part::Block(body)
            }
            LayoutItemKind::Group(count, items) => {
                let body = self.reserve();
                self.spec.bodies[body] = items.iter().map(|item| self.item(item)).collect();
                Part::Group(count.tag().get(), body)
            }
        };
        Item { part, required: item.required(), added: Added::default() }
    }

    fn reserve(&mut self) -> usize {
        self.spec.bodies.push(Vec::new());
        self.spec.bodies.len() - 1
    }
}
