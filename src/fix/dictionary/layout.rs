//! From the nested description of a message to its [`MessageDef`]: components dissolved, groups numbered, and what
//! later versions allow added behind what the version itself has.

use super::definition::{Conditional, Container, Member, MessageDef, NONE};
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

/// Lays out one message. `kind_of` gives kind and code set of a tag.
pub(super) fn lay_out(
    message: &SpecMessage,
    spec: &Spec,
    later: Option<Place<'_>>,
    kind_of: &dyn Fn(u32) -> (Kind, u16),
) -> MessageDef {
    let mut builder = Builder { containers: Vec::new(), kind_of };
    builder.container(0, Some(Place { spec, items: &message.items }), later, &HashSet::new(), 0);
    let containers = builder.containers.into_iter().map(|c| c.expect("each container is filled before the root ends"));
    MessageDef::new(&message.msg_type, &message.name, containers.collect())
}

struct Builder<'a> {
    containers: Vec<Option<Container>>,
    kind_of: &'a dyn Fn(u32) -> (Kind, u16),
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
                members.push(self.member(flat, group, true, &around, depth));
            }
        }
        let words = members.len().div_ceil(64);
        let bits = |places: &mut dyn Iterator<Item = usize>| {
            let mut bits = vec![0u64; words];
            for place in places {
                bits[place / 64] |= 1 << (place % 64);
            }
            bits
        };
        // A missing delimiter is a finding of its own, so the first member of a group is not among the required.
        let first = usize::from(count_tag != 0);
        let required = bits(&mut (first..own.flat.len()).filter(|&i| own.flat[i].required));
        let conditional = own.optional.iter().filter(|o| o.required.iter().any(|&r| r >= first)).map(|o| Conditional {
            any: bits(&mut o.any.iter().copied()).into(),
            required: bits(&mut o.required.iter().copied().filter(|&r| r >= first)).into(),
        });
        let conditional = conditional.collect();
        self.containers[number] = Some(Container::new(count_tag, members, required, conditional));
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
        let (kind, codes) = (self.kind_of)(flat.tag);
        Member { tag: flat.tag, codes, group, kind, later, added: flat.added }
    }
}
