//! Length tags and the data tags they measure.
//!
//! A data field may hold separators, `=` and whole FIX messages, so its end comes from its length tag. The pairs are
//! those of FIX 4.0 to FIX Latest (EP312); they do not follow a rule (93 measures 89).

/// (length tag, data tag), sorted by length tag.
const PAIRS: [(u32, u32); 84] = [
    (90, 91),
    (93, 89),
    (95, 96),
    (212, 213),
    (348, 349),
    (350, 351),
    (352, 353),
    (354, 355),
    (356, 357),
    (358, 359),
    (360, 361),
    (362, 363),
    (364, 365),
    (445, 446),
    (618, 619),
    (621, 622),
    (1184, 1185),
    (1277, 1278),
    (1280, 1281),
    (1282, 1283),
    (1397, 1398),
    (1401, 1402),
    (1403, 1404),
    (1468, 1469),
    (1525, 1527),
    (1578, 1579),
    (1620, 1621),
    (1664, 1665),
    (1678, 1697),
    (1733, 1734),
    (1871, 1872),
    (1874, 1875),
    (2072, 2073),
    (2074, 2075),
    (2111, 2112),
    (2179, 2180),
    (2287, 2288),
    (2351, 2352),
    (2372, 2371),
    (2481, 2482),
    (2494, 2493),
    (2522, 2521),
    (2637, 2638),
    (2651, 2652),
    (2665, 2666),
    (2715, 2716),
    (2718, 2719),
    (2721, 2722),
    (2797, 2798),
    (2802, 2801),
    (2809, 2808),
    (2815, 2814),
    (2971, 2972),
    (40004, 40005),
    (40008, 40009),
    (40978, 40979),
    (40980, 40981),
    (40982, 40983),
    (40984, 40985),
    (40986, 40987),
    (40988, 40989),
    (41083, 41084),
    (41101, 41102),
    (41107, 41108),
    (41256, 41257),
    (41320, 41321),
    (41324, 41325),
    (41458, 41459),
    (41476, 41477),
    (41482, 41483),
    (41653, 41654),
    (41710, 41711),
    (41806, 41807),
    (41811, 41812),
    (41873, 41874),
    (41969, 41970),
    (42025, 42026),
    (42171, 42172),
    (42451, 42452),
    (42652, 42653),
    (42947, 42948),
    (43109, 42684),
    (43110, 42486),
    (43111, 42982),
];

/// One bit for each tag below 4096, set where a length tag stands: the hot path's first question.
const LOW: [u64; 64] = {
    let mut bits = [0u64; 64];
    let mut i = 0;
    while i < PAIRS.len() {
        let tag = PAIRS[i].0;
        if tag < 4096 {
            bits[tag as usize / 64] |= 1 << (tag % 64);
        }
        i += 1;
    }
    bits
};

/// The data tag whose bytes this tag counts, if it is a length tag.
#[inline]
pub fn data_tag(length_tag: u32) -> Option<u32> {
    if length_tag < 4096 && LOW[length_tag as usize / 64] >> (length_tag % 64) & 1 == 0 {
        return None;
    }
    PAIRS.binary_search_by_key(&length_tag, |p| p.0).ok().map(|i| PAIRS[i].1)
}

/// Bit 0: the tag may be a length tag, which is certain below 4096. Without a branch, so that the answers for many tags can
/// be put together.
#[inline]
pub fn may_be_length_tag(tag: u32) -> u64 {
    (LOW[tag as usize / 64 % LOW.len()] >> (tag % 64) | u64::from(tag >> 12 != 0)) & 1
}

/// Whether a tag is a data tag, whose value may hold any byte.
pub fn is_data(tag: u32) -> bool {
    PAIRS.iter().any(|p| p.1 == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_answers_for_every_pair() {
        assert!(PAIRS.windows(2).all(|w| w[0].0 <= w[1].0));
        for (length, data) in PAIRS {
            assert_eq!(data_tag(length), Some(data));
        }
        assert_eq!([1, 9, 89, 96, 213, 1023, 9999].map(data_tag), [None; 7]);
        assert_eq!(data_tag(93), Some(89));
        for tag in 0..50_000 {
            let may = may_be_length_tag(tag) == 1;
            assert!(may || data_tag(tag).is_none(), "{tag}");
            assert!(tag >= 4096 || may == data_tag(tag).is_some(), "{tag}");
        }
    }
}
