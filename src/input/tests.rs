//! Every way of reading the same bytes gives the same blocks; whatever is damaged gives what came before it.
