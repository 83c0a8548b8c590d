//! Random days: the linker and its plain twin agree.

use super::{Sample, link, link_in_buckets, plain};
use crate::event::Kind;
use crate::event::key::{Expect, KeyKind, NO_DAY, NO_QTY, NO_TIME, Role};
use proptest::prelude::*;

fn any_key() -> impl Strategy<Value = (KeyKind, Role, String)> {
    let expect = prop::sample::select(vec![Expect::Parent, Expect::Perhaps, Expect::SameSymbolAndSide]);
    let id = prop::sample::select(vec!["1", "2", "3"]);
    let own = prop::sample::select(vec![
        (KeyKind::ClOrdId, Role::Assigns),
        (KeyKind::ClOrdId, Role::Mentions),
        (KeyKind::ClOrdId, Role::Predecessor),
        (KeyKind::OrderId, Role::Assigns),
        (KeyKind::OrderId, Role::Mentions),
        (KeyKind::ClOrdLinkId, Role::Mentions),
        (KeyKind::Copy, Role::Mentions),
    ]);
    let parent =
        (prop::sample::select(vec![KeyKind::ClOrdId, KeyKind::OrderId, KeyKind::ClOrdLinkId]), 0u16..2, 0u8..2, expect)
            .prop_map(|(kind, slot, rank, expect)| (kind, Role::Parent { slot, rank, expect }));
    (prop_oneof![5 => own, 2 => parent], id).prop_map(|((kind, role), id)| (kind, role, id.to_string()))
}

fn any_sample() -> impl Strategy<Value = Sample> {
    let one_of = |texts: &[&'static str]| prop::sample::select(texts.to_vec());
    (
        prop_oneof![9 => 0i32..4, 1 => Just(NO_DAY)],
        prop_oneof![9 => 0i64..12, 1 => Just(NO_TIME)],
        prop::sample::select(vec![Kind::New, Kind::Fill, Kind::Bust, Kind::CancelRejected]),
        prop::sample::select(vec![0, b'0', b'1', b'2', b'8']),
        (one_of(&["A", "B", "C"]), one_of(&["B", "X"]), one_of(&["", "S", "T"])),
        prop::sample::select(vec![0, b'1', b'2']),
        prop::collection::vec(any_key(), 0..4),
        (prop::option::of(0u8..4), prop::option::weighted(0.2, 0u8..4)),
    )
        .prop_map(|(day, time, kind, status, (orderer, receiver, symbol), side, mut keys, (exec, exec_ref))| {
            // Two references of one rank in one slot are no rule: the first stands.
            let mut taken = Vec::new();
            keys.retain(|k| match k.1 {
                Role::Parent { slot, rank, .. } if taken.contains(&(slot, rank)) => false,
                Role::Parent { slot, rank, .. } => {
                    taken.push((slot, rank));
                    true
                }
                _ => true,
            });
            // Nor are two ClOrdIDs assigned by one event.
            let mut assigned = 0;
            keys.retain(|k| {
                assigned += u32::from(k.0 == KeyKind::ClOrdId && k.1 == Role::Assigns);
                k.0 != KeyKind::ClOrdId || k.1 != Role::Assigns || assigned == 1
            });
            keys.extend(exec.map(|e| (KeyKind::ExecId, Role::Assigns, e.to_string())));
            keys.extend(exec_ref.map(|e| (KeyKind::ExecId, Role::Corrects, e.to_string())));
            let day = if day == NO_DAY { day } else { day + 1 };
            Sample {
                day,
                time,
                kind,
                status,
                orderer: orderer.to_string(),
                receiver: receiver.to_string(),
                symbol: symbol.to_string(),
                side,
                copy: 0,
                repeat: false,
                quantities: [NO_QTY; 3],
                keys,
            }
        })
}

/// Some events, and some of them observed again: equal in everything.
pub(super) fn any_samples() -> impl Strategy<Value = Vec<Sample>> {
    let again = prop::option::weighted(0.25, any::<prop::sample::Index>());
    prop::collection::vec((any_sample(), again), 1..24).prop_map(|drawn| {
        let mut samples: Vec<Sample> = Vec::new();
        for (sample, again) in drawn {
            let Some(first) = again.filter(|_| !samples.is_empty()).map(|again| again.index(samples.len())) else {
                samples.push(sample);
                continue;
            };
            if samples[first].copy == 0 {
                samples[first].copy = 1 + first as u64;
            }
            samples.push(samples[first].clone());
        }
        samples
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_linker_agrees_with_its_plain_twin_however_the_events_arrive(
        samples in any_samples(),
        cuts in prop::collection::vec(0usize..100, 0..4),
        backwards: bool,
        most_bytes in 0usize..4000,
    ) {
        let out = link(&samples, &cuts, backwards);
        prop_assert_eq!(&out.ids, &plain::link(&samples));
        prop_assert_eq!(&out, &link(&samples, &[], false));
        // Nor does it matter how much of it is in memory at a time.
        prop_assert_eq!(link_in_buckets(most_bytes, &samples, &cuts, backwards), link(&samples, &[], false).sorted());
        // The rows of links hold together exactly the lifecycles.
        let number = |id: &str| id.split_once('-').and_then(|p| p.1.parse::<usize>().ok()).unwrap_or_default() / 10;
        let mut sets: Vec<usize> = (0..samples.len()).collect();
        for link in &out.links {
            let (a, b) = (sets[number(&link[1])], sets[number(&link[2])]);
            sets.iter_mut().filter(|s| **s == b).for_each(|s| *s = a);
        }
        for (i, a) in out.ids.iter().enumerate() {
            for (j, b) in out.ids.iter().enumerate() {
                prop_assert_eq!(a == b, sets[i] == sets[j], "events {} and {}: {:?}", i, j, out.links);
            }
        }
    }
}
