//! From the nested description of a message to its [`MessageDef`]: components dissolved, groups numbered, and what
//! later versions allow added behind what the version itself has.

use super::definition::{Bits, Conditional, Container, Member, MessageDef, NONE};
use super::kind::Kind;
use super::spec::{Item, Part, Spec, SpecMessage};
use super::version::Added;
use std::collections::HashSet;

/// Groups within groups; no version goes beyond seven, and data that does is cut rather than followed without end.
const MAX_DEPTH: usize = 12;

/// A source of items, and the items that stand at one place.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub spec: &'a Spec,
    pub items: &'a [Item],
}

/// What is known of a tag wherever it stands.
pub(super) struct Facts {
    pub kind: Kind,
    pub codes: u16,
    pub listed: [u64; 2],
}

/// Lays out one message. `facts_of` tells what is known of a tag anywhere.
pub(super) fn lay_out(
    message: &SpecMessage,
    spec: &Spec,
    later: Option<Place<'_>>,
    facts_of: &dyn Fn(u32) -> Facts,
) -> MessageDef {
    let mut builder = Builder { containers: Vec::new(), facts_of };
    builder.container(0, Some(Place { spec, items: &message.items }), later, &HashSet::new(), 0);
    let containers = builder.containers.into_iter().map(|c| c.expect("each container is filled before the root ends"));
    MessageDef::new(&message.msg_type, &message.name, containers.collect())
}

struct Builder<'a> {
    containers: Vec<Option<Container>>,
    facts_of: &'a dyn Fn(u32) -> Facts,
}

/// A tag of a container once components are dissolved.
struct Flat<'a> {
    tag: u32,
    required: bool,
    added: Added,
    group: Option<Place<'a>>,
}

/// An optional component with required members: places in the flat list.
struct Optional {
    any: Vec<usize>,
    required: Vec<usize>,
}

#[derive(Default)]
struct Flattened<'a> {
    flat: Vec<Flat<'a>>,
    tags: HashSet<u32>,
    optional: Vec<Optional>,
}

impl<'a> Flattened<'a> {
    fn of(place: Option<Place<'a>>) -> Self {
        let mut all = Flattened::default();
        if let Some(place) = place {
            all.add(place, &mut Vec::new(), 0);
        }
        all
    }

    /// `within` are the optional components that the items stand in, outermost first.
    fn add(&mut self, place: Place<'a>, within: &mut Vec<usize>, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for item in place.items {
            let (tag, group) = match item.part {
                Part::Field(tag) => (tag, None),
                Part::Group(tag, body) => (tag, Some(Place { spec: place.spec, items: &place.spec.bodies[body] })),
                Part::Block(body) => {
                    let inner = Place { spec: place.spec, items: &place.spec.bodies[body] };
                    if !item.required {
                        within.push(self.optional.len());
                        self.optional.push(Optional { any: Vec::new(), required: Vec::new() });
                    }
                    self.add(inner, within, depth + 1);
                    if !item.required {
                        within.pop();
                    }
                    continue;
                }
            };
            // A tag that two components of a message share stands there once.
            if !self.tags.insert(tag) {
                continue;
            }
            let at = self.flat.len();
            for &component in within.iter() {
                self.optional[component].any.push(at);
            }
            if let (true, Some(&component)) = (item.required, within.last()) {
                self.optional[component].required.push(at);
            }
            self.flat.push(Flat { tag, required: item.required && within.is_empty(), added: item.added, group });
        }
    }
}

impl Builder<'_> {
    /// Builds a container and what lies in it, and returns its number. `above` are the tags of the version itself that
    /// the containers around it have: a later version's member of that tag would take them from their place.
    fn container(
        &mut self,
        count_tag: u32,
        own: Option<Place<'_>>,
        later: Option<Place<'_>>,
        above: &HashSet<u32>,
        depth: usize,
    ) -> u16 {
        let number = self.containers.len();
        self.containers.push(None);
        let all_later = own.is_none();
        let own = Flattened::of(own);
        let later = Flattened::of(later);
        let around: HashSet<u32> = above.union(&own.tags).copied().collect();
        let mut members = Vec::new();
        for flat in &own.flat {
            let more = later.flat.iter().find(|l| l.tag == flat.tag).and_then(|l| l.group);
            let group = flat.group.map(|g| (Some(g), more));
            members.push(self.member(flat, group, false, &around, depth));
        }
        for (place, flat) in later.flat.iter().enumerate() {
            let delimits = all_later && place == 0;
            if delimits || !around.contains(&flat.tag) {
                let group = flat.group.map(|g| (None, Some(g)));
                members.push(self.member(flat, group, !all_later, &around, depth));
            }
        }
        // A missing delimiter is a finding of its own, so the first member of a group is not among the required.
        let first = usize::from(count_tag != 0);
        let required = bits((first..own.flat.len()).filter(|&i| own.flat[i].required));
        let conditional = own.optional.iter().filter(|o| o.required.iter().any(|&r| r >= first)).map(|o| Conditional {
            any: bits(o.any.iter().copied()),
            required: bits(o.required.iter().copied().filter(|&r| r >= first)),
        });
        let conditional = conditional.collect();
        self.containers[number] = Some(Container::new(count_tag, all_later, members, required, conditional));
        number as u16
    }

    fn member(
        &mut self,
        flat: &Flat<'_>,
        group: Option<(Option<Place<'_>>, Option<Place<'_>>)>,
        later: bool,
        around: &HashSet<u32>,
        depth: usize,
    ) -> Member {
        let group = match group {
            Some((own, more)) if depth < MAX_DEPTH && self.containers.len() < usize::from(NONE >> 1) => {
                self.container(flat.tag, own, more, around, depth + 1)
            }
            _ => NONE,
        };
        let Facts { kind, codes, listed } = (self.facts_of)(flat.tag);
        let is_plain = !later && group == NONE;
        Member { tag: flat.tag, codes, group, kind, later, is_plain, added: flat.added, listed }
    }
}

/// A set of places as its words that are not empty.
fn bits(places: impl Iterator<Item = usize>) -> Box<[Bits]> {
    let mut words: Vec<Bits> = Vec::new();
    for place in places {
        let (word, bit) = (place / 64, 1 << (place % 64));
        match words.iter_mut().find(|w| w.word == word) {
            Some(found) => found.bits |= bit,
            None => words.push(Bits { word, bits: bit }),
        }
    }
    words.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix::group::for_each_missing;

    fn item(part: Part, required: bool) -> Item {
        Item { part, required, added: Added::default() }
    }

    /// A message with a required component of 55 and an optional one of 48 and 22, in which lies another optional one
    /// of 60 and 61; the first of each optional pair is required in it.
    fn message() -> MessageDef {
        let field = |tag, required| item(Part::Field(tag), required);
        let bodies = vec![
            vec![field(55, true)],
            vec![field(48, true), field(22, false), item(Part::Block(2), false)],
            vec![field(60, true), field(61, false)],
        ];
        let items = vec![item(Part::Block(0), true), field(11, false), item(Part::Block(1), false)];
        let spec = Spec { bodies, ..Spec::default() };
        let message = SpecMessage { msg_type: "D".into(), name: "Order".into(), items };
        lay_out(&message, &spec, None, &|_| Facts { kind: Kind::Text, codes: NONE, listed: [0; 2] })
    }

    fn missing(tags: &[u32]) -> Vec<u32> {
        let def = message();
        let root = &def.containers[0];
        let mut seen = vec![0; root.words()];
        for &tag in tags {
            let place = root.place(tag).expect("a member");
            seen[place / 64] |= 1 << (place % 64);
        }
        let mut found = Vec::new();
        for_each_missing(root, &seen, &mut |tag| found.push(tag));
        found
    }

    #[test]
    fn a_required_component_requires_what_it_requires() {
        assert_eq!(missing(&[11]), [55]);
        assert_eq!(missing(&[55]), [0u32; 0]);
    }

    #[test]
    fn an_optional_component_that_is_there_must_be_whole() {
        assert_eq!(missing(&[55, 22]), [48]);
        assert_eq!(missing(&[55, 22, 48]), [0u32; 0]);
        assert_eq!(missing(&[55, 61]), [48, 60]);
        assert_eq!(missing(&[55, 48, 60]), [0u32; 0]);
    }

    #[test]
    fn components_dissolve_in_the_order_of_the_standard() {
        let def = message();
        let tags: Vec<u32> = def.containers[0].members.iter().map(|m| m.tag).collect();
        assert_eq!(tags, [55, 11, 48, 22, 60, 61]);
    }
}
