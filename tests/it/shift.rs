//! Clocks that tests move, also the one of a spawned program, and a disk that refuses to sync (`tests/support/clock.c`).

use std::{
    fs::{self, File},
    ops::Deref,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use pharos::clock::Clock;

const SOURCE: &str = include_str!("../support/clock.c");

/// What is put in front of a program, built once for all tests.
fn library() -> PathBuf {
    let name = blake3::hash(SOURCE.as_bytes()).to_hex();
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let library = directory.join(format!("clock-{}.so", &name[..16]));
    if !library.exists() {
        fs::create_dir_all(directory).unwrap();
        let own = tempfile::Builder::new().tempfile_in(directory).unwrap();
        let source = own.path().with_extension("c");
        fs::write(&source, SOURCE).unwrap();
        let mut compiler = Command::new("cc");
        compiler
            .args(["-O2", "-shared", "-fPIC", "-o"])
            .arg(own.path());
        let done = compiler.arg(&source).args(["-ldl", "-lpthread"]).output();
        let done = done.unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        fs::remove_file(&source).unwrap();
        own.persist(&library).unwrap();
    }
    library
}

/// The clock of a spawned program.
#[derive(Debug, Clone)]
pub struct ProcessClock(Arc<File>, PathBuf);

impl ProcessClock {
    /// Says in a file what the clock shows: nothing else than the machine's, at first.
    pub fn new(file: PathBuf) -> Self {
        let opened = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&file);
        let shown = Self(Arc::new(opened.unwrap()), file);
        shown.write(0, 0);
        shown
    }

    /// Puts it in front of a program that is to be started.
    pub fn on<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("LD_PRELOAD", library())
            .env("PHAROS_TEST_CLOCK", &self.1)
    }

    /// It goes with the machine's, so many milliseconds ahead of it.
    pub fn ahead(&self, ms: i64) {
        self.write(0, ms);
    }

    /// It is stopped.
    pub fn stand(&self, unix_ms: i64) {
        self.write(1, unix_ms);
    }

    fn write(&self, kind: i64, value: i64) {
        let bytes = [kind.to_ne_bytes(), value.to_ne_bytes()].concat();
        self.0.write_all_at(&bytes, 0).unwrap();
    }
}

/// A clock that the test moves, here and in the program.
#[derive(Debug, Clone)]
pub struct TestClock {
    own: Clock,
    shown: Option<ProcessClock>,
}

impl TestClock {
    pub const fn new(own: Clock, shown: Option<ProcessClock>) -> Self {
        Self { own, shown }
    }

    /// The clock itself.
    pub const fn clock(&self) -> &Clock {
        &self.own
    }

    /// What a spawned program shows.
    pub const fn process_clock(&self) -> Option<&ProcessClock> {
        self.shown.as_ref()
    }

    pub fn advance(&self, by: Duration) {
        self.own.advance(by);
        if let Some(shown) = &self.shown {
            shown.stand(self.own.now_ms());
        }
    }
}

impl Deref for TestClock {
    type Target = Clock;

    fn deref(&self) -> &Clock {
        &self.own
    }
}
