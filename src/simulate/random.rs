//! A small seeded generator of numbers: the same seed gives the same sequence on every machine.

/// The xoshiro256++ generator.
#[derive(Clone, Debug)]
pub struct Random([u64; 4]);

/// One step of splitmix64: a well mixed value for each input, and different inputs never meet.
pub fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Random {
    pub fn new(seed: u64) -> Random {
        let step = 0x9e37_79b9_7f4a_7c15u64;
        Random([0u64, 1, 2, 3].map(|i| mix(seed.wrapping_add(step.wrapping_mul(i)))))
    }

    pub fn word(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let out = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (mut c, mut d) = (c ^ a, d ^ b);
        let (b, a) = (b ^ c, a ^ d);
        c ^= self.0[1] << 17;
        d = d.rotate_left(45);
        self.0 = [a, b, c, d];
        out
    }

    /// A whole number below `end`; 0 when `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(end)) >> 64) as u64
    }

    /// A whole number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// A fraction at or above 0 and below 1.
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True at this rate.
    pub fn chance(&mut self, rate: f64) -> bool {
        rate > 0.0 && self.unit() < rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_words_match_the_reference_algorithm() {
        let mut random = Random([1, 2, 3, 4]);
        assert_eq!([random.word(), random.word(), random.word()], [41943041, 58720359, 3588806011781223]);
    }

    #[test]
    fn numbers_stay_in_their_range_and_reach_its_ends() {
        let mut random = Random::new(7);
        let drawn: Vec<u64> = (0..1000).map(|_| random.between(3, 6)).collect();
        assert_eq!(drawn.iter().min(), Some(&3));
        assert_eq!(drawn.iter().max(), Some(&6));
        assert_eq!(random.below(0), 0);
        assert!(!random.chance(0.0));
    }
}
