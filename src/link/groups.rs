//! Members by group: a counting sort.

/// For each group 0, 1, 2… its members, ascending.
#[derive(Default)]
pub(super) struct Groups {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Groups {
    /// Sorts the members 0, 1, 2… by their groups, which are below `count`. The iterator is walked twice.
    pub fn of(count: usize, groups: impl Iterator<Item = u32> + Clone) -> Groups {
        let mut starts = vec![0u32; count + 1];
        for group in groups.clone() {
            starts[group as usize + 1] += 1;
        }
        for group in 0..count {
            starts[group + 1] += starts[group];
        }
        let mut members = vec![0u32; starts[count] as usize];
        for (member, group) in groups.enumerate() {
            members[starts[group as usize] as usize] = member as u32;
            starts[group as usize] += 1;
        }
        // Each start has moved on to its group's end: shift back.
        starts.rotate_right(1);
        starts[0] = 0;
        Groups { starts, members }
    }

    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn get(&self, group: u32) -> &[u32] {
        &self.members[self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Groups;

    #[test]
    fn members_come_ascending_in_their_group() {
        let groups = Groups::of(4, [2, 0, 2, 3, 0].into_iter());
        assert_eq!(groups.len(), 4);
        assert_eq!(
            (0..4).map(|g| groups.get(g).to_vec()).collect::<Vec<_>>(),
            [vec![1, 4], vec![], vec![0, 2], vec![3]]
        );
        assert_eq!(Groups::of(0, std::iter::empty()).len(), 0);
    }
}
