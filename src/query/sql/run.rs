//! Runs a lazy frame on the streaming engine and hands its batches, in order, to the calling thread.

use super::error;
use crate::{Error, Result};
use polars::prelude::{DataFrame, Engine, LazyFrame, PlanCallback};
use std::num::NonZeroUsize;
use std::sync::mpsc::sync_channel;

/// Rows of a batch: enough for a row group of Parquet, few enough to hold several in memory.
const BATCH_ROWS: NonZeroUsize = NonZeroUsize::new(65_536).expect("not zero");

/// Calls `take` with each batch. When `take` fails the query is stopped and the error returned.
pub fn for_each_batch(
    frame: LazyFrame,
    names: &[String],
    take: &mut dyn FnMut(&DataFrame) -> Result<()>,
) -> Result<()> {
    let (sender, receiver) = sync_channel::<DataFrame>(1);
    // The engine stops when the callback answers true: the receiver is gone.
    let callback = PlanCallback::new(move |batch| Ok(sender.send(batch).is_err()));
    let plan = frame.sink_batches(callback, true, Some(BATCH_ROWS)).map_err(|e| error::plain(&e, names))?;
    std::thread::scope(|scope| {
        let engine = scope.spawn(move || plan.collect_with_engine(Engine::Streaming).map(|_| ()));
        let taken = receiver.iter().try_for_each(|batch| take(&batch));
        drop(receiver);
        let ran = engine.join();
        taken?;
        match ran {
            Ok(outcome) => outcome.map_err(|e| error::plain(&e, names)),
            Err(_) => Err(Error::Query("the query engine failed on this statement".to_string())),
        }
    })
}
