//! The banner of SSH (RFC 4253, section 4.2).

use super::{
    Probe,
    reader::broken,
    wire::{Stream, Wire},
};
use crate::{actors::monitors::CheckResult, egress::Failure};

/// Lines that a server may send before its banner.
const MAX_LINES: usize = 50;

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let mut wire = probe.open(false, &mut result.trace).await?;
    let banner = banner(&mut wire).await?;
    probe.assert_text(&banner).await
}

pub(super) async fn banner<S: Stream>(wire: &mut Wire<'_, S>) -> Result<String, Failure> {
    for _ in 0..MAX_LINES {
        let line = wire.line().await?;
        if line.starts_with("SSH-2.0-") || line.starts_with("SSH-1.99-") {
            return Ok(line);
        }
        if line.starts_with("SSH-") {
            break;
        }
    }
    Err(broken("SSH 2.0"))
}

#[cfg(test)]
mod tests {
    use super::{
        super::wire::testing::{failed, served},
        *,
    };
    use crate::egress::Class;

    #[tokio::test]
    async fn the_banner_may_follow_other_lines() {
        let answer = b"welcome\r\nSSH-2.0-OpenSSH_9.2\r\n";
        let banner = served(answer, async |wire| banner(wire).await).await;
        assert_eq!(banner.unwrap(), "SSH-2.0-OpenSSH_9.2");
    }

    #[tokio::test]
    async fn what_servers_do_wrong_is_told_apart() {
        let endless = "x\r\n".repeat(MAX_LINES + 1);
        for (answer, class) in [
            ("", Class::Closed),
            ("SSH-2.0-x", Class::Closed),
            ("SSH-1.5-old\r\n", Class::Protocol),
            (&*endless, Class::Protocol),
        ] {
            let found = failed(answer.as_bytes(), async |wire| banner(wire).await).await;
            assert_eq!(found, class, "{answer}");
        }
    }
}
