//! Puts what workers finish in any order back into the order of the units.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

/// Results that wait for the ones before them. A worker that is too far ahead waits, so that memory stays bounded.
pub struct Sequence<T> {
    state: Mutex<State<T>>,
    advanced: Condvar,
    ahead: usize,
}

struct State<T> {
    next: u32,
    waiting: BTreeMap<u32, T>,
    stopped: bool,
}

impl<T> Sequence<T> {
    /// `ahead` results may wait for an earlier one, at least one for each worker.
    pub fn new(ahead: usize) -> Sequence<T> {
        let state = State { next: 0, waiting: BTreeMap::new(), stopped: false };
        Sequence { state: Mutex::new(state), advanced: Condvar::new(), ahead }
    }

    /// Hands in the result of unit `number`; `write` is called with it and with each later one that it sets free, in
    /// order and by one thread at a time.
    ///
    /// # Errors
    /// What `write` says; from then on nothing is written any more.
    pub fn put<E>(&self, number: u32, result: T, mut write: impl FnMut(T) -> Result<(), E>) -> Result<(), E> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while number != state.next && state.waiting.len() >= self.ahead && !state.stopped {
            state = self.advanced.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.insert(number, result);
        let mut outcome = Ok(());
        loop {
            let next = state.next;
            let Some(result) = state.waiting.remove(&next) else { break };
            if state.stopped {
                break;
            }
            outcome = write(result);
            if outcome.is_err() {
                state.stopped = true;
                break;
            }
            state.next += 1;
        }
        self.advanced.notify_all();
        outcome
    }

    /// Lets nobody wait any more: a worker has failed and its result will never come.
    pub fn stop(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stopped = true;
        self.advanced.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::Sequence;
    use std::sync::Mutex;

    #[test]
    fn results_come_out_in_order_whoever_is_first() {
        let sequence = Sequence::new(2);
        let written = Mutex::new(Vec::new());
        let put = |n: u32| {
            let outcome = sequence.put(n, n, |n| {
                written.lock().expect("lock").push(n);
                Ok::<(), ()>(())
            });
            assert_eq!(outcome, Ok(()));
        };
        std::thread::scope(|scope| {
            let put = &put;
            for start in [2, 1, 0] {
                scope.spawn(move || (start..60).step_by(3).for_each(put));
            }
        });
        assert_eq!(*written.lock().expect("lock"), (0..60).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_stops_the_writing_and_nobody_waits() {
        let sequence = Sequence::new(1);
        assert_eq!(sequence.put(0, (), |()| Err("full")), Err("full"));
        assert_eq!(sequence.put(5, (), |()| Ok::<(), &str>(())), Ok(()));
        assert_eq!(sequence.put(7, (), |()| Ok::<(), &str>(())), Ok(()));
    }
}
