//! Which order is shown below which: every order once, below the last of its parents, numbered from top to bottom.

use super::story::Order;

/// Deeper orders are shown side by side below this depth, so that no input makes a tree too deep to walk.
pub const MAX_DEPTH: usize = 40;

/// Orders in the order of showing, with parents renumbered and children filled in. `parents` of the input are indices
/// into it; orders come in order of their first event. A cycle is cut at its earliest order.
pub fn nest(mut orders: Vec<Order>) -> Vec<Order> {
    let count = orders.len();
    let mut waiting: Vec<usize> = orders.iter().map(|o| o.parents.len()).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (child, order) in orders.iter().enumerate() {
        for &parent in &order.parents {
            children[parent].push(child);
        }
    }
    // A path is the way from the root: comparing paths compares places on the page.
    let mut paths: Vec<Option<Vec<usize>>> = vec![None; count];
    let mut under: Vec<Option<usize>> = vec![None; count];
    let mut ready: Vec<usize> = (0..count).rev().filter(|&i| waiting[i] == 0).collect();
    let mut next_unplaced = 0;
    loop {
        let Some(i) = ready.pop() else {
            // What is left hangs in a cycle: its earliest order is taken as if its open parents were none.
            while next_unplaced < count && paths[next_unplaced].is_some() {
                next_unplaced += 1;
            }
            if next_unplaced == count {
                break;
            }
            ready.push(next_unplaced);
            continue;
        };
        if paths[i].is_some() {
            continue;
        }
        under[i] =
            orders[i].parents.iter().copied().filter(|&p| paths[p].is_some()).max_by(|&a, &b| paths[a].cmp(&paths[b]));
        let mut path = under[i].and_then(|p| paths[p].clone()).unwrap_or_default();
        if path.len() >= MAX_DEPTH {
            path.pop();
            under[i] = under[i].and_then(|p| under[p]);
        }
        path.push(i);
        paths[i] = Some(path);
        for &child in &children[i] {
            waiting[child] = waiting[child].saturating_sub(1);
            if waiting[child] == 0 {
                ready.push(child);
            }
        }
    }

    let mut shown: Vec<usize> = (0..count).collect();
    shown.sort_by(|&a, &b| paths[a].cmp(&paths[b]));
    let mut number = vec![0; count];
    for (new, &old) in shown.iter().enumerate() {
        number[old] = new;
    }
    let mut result = Vec::with_capacity(count);
    for &old in &shown {
        let mut order = std::mem::take(&mut orders[old]);
        order.parents = order.parents.iter().map(|&p| number[p]).collect();
        order.parents.sort_unstable();
        order.shown_under = under[old].map(|p| number[p]);
        for &child in &children[old] {
            if under[child] != Some(old) {
                order.children_elsewhere.push(number[child]);
            }
        }
        order.children_elsewhere.sort_unstable();
        result.push(order);
    }
    for i in 0..count {
        if let Some(parent) = result[i].shown_under {
            result[parent].children.push(i);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn orders(parents: &[&[usize]]) -> Vec<Order> {
        parents.iter().map(|p| Order { parents: p.to_vec(), ..Order::default() }).collect()
    }

    fn under(orders: &[Order]) -> Vec<Option<usize>> {
        orders.iter().map(|o| o.shown_under).collect()
    }

    #[test]
    fn a_combined_order_stands_below_the_last_of_its_parents() {
        let nested = nest(orders(&[&[], &[], &[0, 1], &[2]]));
        assert_eq!(under(&nested), [None, None, Some(1), Some(2)]);
        assert_eq!(nested[0].children_elsewhere, [2]);
        assert_eq!(nested[1].children, [2]);
        assert_eq!(nested[2].parents, [0, 1]);
    }

    #[test]
    fn numbers_run_from_top_to_bottom_of_the_page() {
        // 0 has the children 2 and 3, 1 has the child 4: shown 0, 2, 3, 1, 4.
        let nested = nest(orders(&[&[], &[], &[0], &[0], &[1]]));
        assert_eq!(under(&nested), [None, Some(0), Some(0), None, Some(3)]);
    }

    #[test]
    fn a_cycle_is_cut_and_every_order_is_shown() {
        let nested = nest(orders(&[&[2], &[0], &[1]]));
        assert_eq!(under(&nested), [None, Some(0), Some(1)]);
        assert_eq!(nested[2].children_elsewhere, [0]);
    }

    #[test]
    fn a_chain_deeper_than_the_page_goes_on_side_by_side() {
        let chain: Vec<Order> = (0..100usize)
            .map(|i| Order { parents: i.checked_sub(1).into_iter().collect(), ..Order::default() })
            .collect();
        let nested = nest(chain);
        let depth = |mut i: usize| {
            let mut depth = 1;
            while let Some(parent) = nested[i].shown_under {
                (i, depth) = (parent, depth + 1);
            }
            depth
        };
        assert_eq!((0..100).map(depth).max(), Some(MAX_DEPTH));
        assert_eq!(nested[99].parents, [98]);
    }

    proptest! {
        #[test]
        fn every_order_is_shown_once_and_after_the_one_it_hangs_under(
            edges in prop::collection::vec((0usize..12, 0usize..12), 0..40)
        ) {
            let mut input = orders(&[&[][..]; 12]);
            for (child, parent) in edges {
                if child != parent && !input[child].parents.contains(&parent) {
                    input[child].parents.push(parent);
                }
            }
            let nested = nest(input);
            prop_assert_eq!(nested.len(), 12);
            let listed: usize = nested.iter().map(|o| o.children.len()).sum();
            prop_assert_eq!(listed, nested.iter().filter(|o| o.shown_under.is_some()).count());
            for (i, order) in nested.iter().enumerate() {
                prop_assert!(order.shown_under.is_none_or(|p| p < i));
            }
        }
    }
}
