//! Every input of the fuzz corpus, once: what was found by fuzzing must not come back.

use std::{collections::BTreeSet, fs, path::Path};

use pharos::actors::monitors::REPLAY_PROTOCOLS;

use crate::fuzzed::ALL;

#[test]
fn the_corpus_breaks_nothing() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let mut folders: BTreeSet<String> = fs::read_dir(&corpus)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for (name, target) in ALL {
        assert!(folders.remove(name), "`fuzz/corpus/{name}` is missing");
        let mut inputs = 0;
        for entry in fs::read_dir(corpus.join(name)).unwrap() {
            let path = entry.unwrap().path();
            eprintln!("{}", path.display());
            target(&fs::read(path).unwrap());
            inputs += 1;
        }
        assert!(inputs > 1, "{name} has {inputs} inputs");
        target(b"");
    }
    assert!(folders.is_empty(), "no target reads {folders:?}");
}

#[test]
fn every_protocol_of_checks_has_a_recording() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/checks");
    let recorded: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            let name = bytes.split(|byte| *byte == b'\n').next().unwrap();
            String::from_utf8(name.to_vec()).unwrap()
        })
        .collect();
    let known: BTreeSet<String> = REPLAY_PROTOCOLS.map(str::to_owned).into();
    assert_eq!(recorded, known);
}
