//! Event streams of made-up runs.
