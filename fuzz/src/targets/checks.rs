//! What servers answer to monitors.

use std::sync::LazyLock;

use pharos::actors::monitors::replay_check;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().unwrap());

/// The name of a protocol, a line break, and all that a server says before it hangs up. A check of it ends; a failure says why in
/// few words, and no secret.
pub fn checks(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let (Some(name), Some(said)) = (parts.next(), parts.next()) else {
        return;
    };
    let name = String::from_utf8_lossy(name);
    let Some(Err(failure)) = RUNTIME.block_on(replay_check(&name, said)) else {
        return;
    };
    let message = failure.message;
    assert!((1..300).contains(&message.len()), "{message:?}");
    assert!(!message.contains(char::is_control), "{message:?}");
    assert!(!message.contains("s3cr3t"), "{message:?}");
}
