//! libFuzzer over the target that the environment variable `PHAROS_FUZZ_TARGET` names.
#![no_main]

use std::sync::LazyLock;

mod targets;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let wanted = std::env::var("PHAROS_FUZZ_TARGET").expect("`PHAROS_FUZZ_TARGET` names a target");
    let known = targets::ALL.iter().find(|(name, _)| *name == wanted);
    known.expect("`PHAROS_FUZZ_TARGET` names no target").1
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| TARGET(bytes));
