//! The tables against what is known of each version.

use super::*;

#[test]
fn each_version_has_its_messages_and_fields() {
    // Counted in the source data; FIX 5.0 and later have the seven admin messages of FIXT.1.1 on top.
    let expected = [
        (Version::Fix40, 27, 138),
        (Version::Fix41, 28, 206),
        (Version::Fix42, 46, 405),
        (Version::Fix43, 68, 635),
        (Version::Fix44, 93, 912),
        (Version::Fix50, 93 + 7, 0),
        (Version::Fix50Sp1, 105 + 7, 0),
        (Version::Fix50Sp2, 108 + 7, 0),
        (Version::Fixt11, 7, 62),
    ];
    for (version, messages, fields) in expected {
        let dict = Dictionary::get(version);
        assert_eq!(dict.version(), version);
        assert_eq!(dict.messages().count(), messages, "{version}");
        if fields > 0 {
            assert_eq!(dict.fields.len(), fields, "{version}");
        }
    }
}

#[test]
fn every_message_is_found_by_its_type_and_has_header_and_trailer() {
    for version in Version::ALL {
        let dict = Dictionary::get(version);
        for message in &dict.spec.messages {
            let found = dict.message(message.msg_type.as_bytes()).map(|m| m.name());
            assert_eq!(found, Some(&*message.name), "{version} {}", message.msg_type);
        }
        for message in dict.messages() {
            for tag in [8, 9, 35, 49, 56, 34, 52, 10] {
                assert!(matches!(message.root(tag), Root::Member(_)), "{version} {} {tag}", message.msg_type());
                assert!(required(message).contains(&tag), "{version} {} {tag}", message.msg_type());
            }
        }
    }
}

fn required(message: &MessageDef) -> Vec<u32> {
    let root = &message.containers[0];
    let is_set = |i: usize| root.required.iter().any(|b| b.word == i / 64 && b.bits >> (i % 64) & 1 == 1);
    let mut tags: Vec<u32> = (0..root.members.len()).filter(|&i| is_set(i)).map(|i| root.members[i].tag).collect();
    tags.sort_unstable();
    tags
}

#[test]
fn a_new_order_requires_what_its_version_says() {
    let header = [8, 9, 10, 34, 35, 49, 52, 56];
    let expected: [(Version, &[u32]); 6] = [
        (Version::Fix40, &[11, 21, 55, 54, 38, 40]),
        (Version::Fix41, &[11, 21, 55, 54, 40]),
        (Version::Fix42, &[11, 21, 55, 54, 60, 40]),
        (Version::Fix43, &[11, 21, 54, 60, 40]),
        (Version::Fix44, &[11, 54, 60, 40]),
        (Version::Fix50Sp2, &[11, 54, 60, 40]),
    ];
    for (version, body) in expected {
        let mut tags = [&header[..], body].concat();
        tags.sort_unstable();
        let found = required(Dictionary::get(version).message(b"D").expect("known"));
        assert_eq!(found, tags, "{version}");
    }
}

#[test]
fn unknown_types_and_tags_are_none() {
    let dict = Dictionary::get(Version::Fix44);
    for msg_type in [&b""[..], b"zz", b"U1", b"D ", b"\xff", b"DDD", b"\xff\xff"] {
        assert!(dict.message(msg_type).is_none(), "{msg_type:?}");
    }
    assert!(dict.field(0).is_none() && dict.field(5001).is_none() && dict.field(u32::MAX).is_none());
    assert_eq!(dict.field_name(9001), None);
    assert_eq!(dict.field_name(2887), Some("RelatedOrderID"));
}

#[test]
fn names_and_labels_are_those_of_the_standard() {
    let dict = Dictionary::get(Version::Fix44);
    assert_eq!(dict.field_name(54), Some("Side"));
    assert_eq!(dict.label(54, b"5"), Some("SELL_SHORT"));
    assert_eq!(dict.label(54, b"Z"), None);
    assert_eq!(dict.label(11, b"1"), None);
    assert_eq!(dict.label(35, b"AE"), Some("TRADE_CAPTURE_REPORT"));
    // Nested party roles have the list of party roles.
    assert_eq!(dict.label(538, b"1"), dict.label(452, b"1"));
}

#[test]
fn the_known_mistakes_of_the_data_are_corrected() {
    let kind = |version, tag| Dictionary::get(version).field(tag).map(|f| f.kind);
    assert_eq!(kind(Version::Fix40, 11), Some(Kind::Text));
    assert_eq!(kind(Version::Fix40, 18), Some(Kind::MultipleString));
    assert_eq!(kind(Version::Fix42, 206), Some(Kind::Text));
    assert_eq!(kind(Version::Fix42, 54), Some(Kind::Char));
    assert_eq!(kind(Version::Fix42, 100), Some(Kind::Market));
    assert_eq!(kind(Version::Fix44, 100), Some(Kind::Mic));
    assert_eq!(kind(Version::Fix44, 18), Some(Kind::MultipleString));
    assert_eq!(kind(Version::Fix50, 18), Some(Kind::MultipleChar));
    assert_eq!(kind(Version::Fix44, 532), Some(Kind::Int));
    assert_eq!(kind(Version::Fix44, 139), Some(Kind::Text));
    assert_eq!(kind(Version::Fix44, 674), Some(Kind::Int));
    for tag in [1079, 1212, 1213, 1253] {
        assert_eq!(kind(Version::Fix50Sp2, tag), Some(Kind::TzTimeOnly), "{tag}");
    }
    assert_eq!(kind(Version::Fix50Sp2, 1132), Some(Kind::TzTimestamp));
    assert_eq!(kind(Version::Fix50Sp2, 1299), Some(Kind::Int));
    assert_eq!(kind(Version::Fix50Sp2, 1492), Some(Kind::Date));
    assert_eq!(kind(Version::Fix50Sp2, 213), Some(Kind::Data));
}

#[test]
fn lists_are_open_where_the_standard_leaves_room() {
    let dict = Dictionary::get(Version::Fix44);
    let allows = |tag, value: &str| dict.codes(tag).is_none_or(|c| c.allows(value.as_bytes()));
    assert!(allows(103, "99") && allows(103, "100") && allows(103, "12") && !allows(103, "50"));
    assert!(allows(452, "122") && allows(22, "Q9") && allows(167, "NEW") && allows(15, "XBT") && allows(207, "ABCD"));
    assert!(allows(54, "1") && !allows(54, "Z") && !allows(54, ""));
    assert!(allows(538, "1") && !allows(538, "0") && allows(27, "500") && allows(27, "L") && !allows(27, "X"));
    assert!(allows(552, "3"), "a count is not a code");
}

#[test]
fn an_older_application_version_over_fixt_has_its_session_layer() {
    let dict = Dictionary::get_over_fixt(Version::Fix44);
    let order = dict.message(b"D").expect("known");
    assert!(matches!(order.root(1128), Root::Member(p) if !order.containers[0].members[p].later));
    assert!(required(dict.message(b"A").expect("known")).contains(&1137));
    assert!(std::ptr::eq(Dictionary::get_over_fixt(Version::Fix50Sp2), Dictionary::get(Version::Fix50Sp2)));
    let plain = Dictionary::get(Version::Fix44).message(b"D").expect("known");
    assert!(matches!(plain.root(1128), Root::Member(p) if plain.containers[0].members[p].later));
}

#[test]
fn later_versions_add_tags_and_groups_to_a_message() {
    let order = Dictionary::get(Version::Fix44).message(b"D").expect("known");
    let root = &order.containers[0];
    let Root::Member(parent) = order.root(1080) else { panic!("RefOrderID is allowed later") };
    assert!(root.members[parent].later);
    let Root::Member(count) = order.root(73) else { panic!("RelatedOrderGrp is allowed later") };
    let group = &order.containers[usize::from(root.members[count].group)];
    assert_eq!(group.members[0].tag, 2887);
    assert_eq!(root.members[count].added.to_string(), "FIX 5.0 SP2 EP259");
    // A tag of FIX 4.4 in a message of FIX 4.2.
    let older = Dictionary::get(Version::Fix42).message(b"D").expect("known");
    assert!(matches!(older.root(453), Root::Member(p) if older.containers[0].members[p].later));
    assert_eq!(older.root(20), Root::Absent);
}

#[test]
fn no_member_of_a_later_version_takes_a_tag_from_around_it() {
    for version in Version::ALL {
        for message in Dictionary::get(version).messages() {
            let own: Vec<u32> = message.containers[0].members.iter().filter(|m| !m.later).map(|m| m.tag).collect();
            for group in message.containers.iter().skip(1) {
                for member in group.members.iter().skip(1).filter(|m| m.later || group.later) {
                    assert!(!own.contains(&member.tag), "{version} {} {}", message.msg_type(), member.tag);
                }
            }
        }
    }
}
