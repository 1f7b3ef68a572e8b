//! Commands ask a running server over a socket in the data directory, which only its owner may open. One line of JSON each way.

use std::{
    fs, io,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::{fs::PermissionsExt as _, net},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _},
    net::{UnixListener, UnixStream},
};

use super::{CommandError, ProvisionOptions, Report};

const FILE: &str = "control.sock";
/// How long a command may take to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a server may take.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);
const MAX_REQUEST: u64 = 4_096;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Done(Box<Report>),
    Failed(String),
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

/// Listens for commands. The data directory is locked, so an existing socket is a leftover.
pub(super) fn listen(data_dir: &Path) -> Option<UnixListener> {
    let path = path(data_dir);
    let bind = || {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    };
    bind()
        .inspect_err(|error| {
            tracing::warn!(%error, "`pharos plan` and `pharos apply` work only while the server is stopped");
        })
        .ok()
}

/// The next command; without a listener it never comes.
pub(super) async fn accept(listener: Option<&UnixListener>) -> UnixStream {
    loop {
        let Some(listener) = listener else {
            return std::future::pending().await;
        };
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                tracing::warn!(%error, "a command could not ask");
                tokio::time::sleep(REQUEST_TIMEOUT).await;
            }
        }
    }
}

/// Reads a request, does the work and answers.
pub(super) async fn answer(
    stream: UnixStream,
    work: impl AsyncFnOnce(ProvisionOptions) -> anyhow::Result<Report>,
) {
    let (reader, mut writer) = stream.into_split();
    let mut lines = tokio::io::BufReader::new(reader.take(MAX_REQUEST)).lines();
    let Ok(Ok(Some(line))) = tokio::time::timeout(REQUEST_TIMEOUT, lines.next_line()).await else {
        return;
    };
    let answer = match serde_json::from_str(&line) {
        Ok(options) => match work(options).await {
            Ok(report) => Answer::Done(Box::new(report)),
            Err(error) => Answer::Failed(format!("{error:#}")),
        },
        Err(error) => Answer::Failed(format!("the command is not understood: {error}")),
    };
    let text = serde_json::to_string(&answer).unwrap_or_default();
    if let Err(error) = writer.write_all(format!("{text}\n").as_bytes()).await {
        tracing::debug!(%error, "a command went away");
    }
}

/// Asks the server that runs over a data directory; `None` when none does.
pub(super) fn ask(data_dir: &Path, options: ProvisionOptions) -> anyhow::Result<Option<Report>> {
    let Ok(mut stream) = net::UnixStream::connect(path(data_dir)) else {
        return Ok(None);
    };
    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    let request = serde_json::to_string(&options)?;
    stream.write_all(format!("{request}\n").as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    match serde_json::from_str(&line) {
        Ok(Answer::Done(report)) => Ok(Some(*report)),
        Ok(Answer::Failed(what)) => CommandError::refuse(
            format!("the running server could not do it: {what}"),
            "its log may say more",
        ),
        Err(_) => CommandError::refuse(
            "the running server did not answer",
            "it may be stopping: try again; what was begun goes on at the next start",
        ),
    }
}
