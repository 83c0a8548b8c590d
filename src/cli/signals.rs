//! An interrupt ends the run by that signal, and no temporary file stays behind.

use crate::table::cleanup;
use std::sync::Once;

/// From now on SIGINT, SIGTERM and SIGHUP remove the run's temporary files before they end the process, and a file that
/// would grow beyond the limit of `ulimit -f` is an error of its write and not the process's end.
pub fn end_cleanly() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
            // A signal that has a handler does not end the process; nobody asks for the flag.
            let _ = signal_hook::flag::register(libc::SIGXFSZ, Default::default());
            // Without a handler the signals keep their meaning; only temporary files would stay.
            let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
            let _ = std::thread::Builder::new().name("signals".to_string()).spawn(move || {
                if let Some(signal) = signals.forever().next() {
                    cleanup::remove_all_temporaries();
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            });
        }
    });
}
