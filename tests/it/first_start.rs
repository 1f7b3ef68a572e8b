//! The first start over an empty directory: it is set up, says how to sign in, and only then answers.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    app::until,
    limits::is_answered,
    process::{free_address, pharos},
};

/// A pipe that takes nothing more until it is read.
fn full_pipe() -> (std::io::PipeReader, std::io::PipeWriter) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    while writer.write(&[b' '; 4_096]).is_ok() {}
    rustix::io::ioctl_fionbio(&writer, false).unwrap();
    (reader, writer)
}

fn serve(command: &mut Command, api: &str, out: impl Into<Stdio>) -> Child {
    command
        .arg("serve")
        .env("PHAROS__SERVER__API_LISTEN", api)
        .env("PHAROS__SERVER__TRACK_LISTEN", free_address())
        .env("PHAROS__SERVER__LINKS_LISTEN", free_address())
        .stdout(out)
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Whether a thread of the program is in a call that writes to its standard output.
fn is_printing(program: &Child) -> bool {
    let tasks = fs::read_dir(format!("/proc/{}/task", program.id())).unwrap();
    tasks.flatten().any(|task| {
        let call = fs::read_to_string(task.path().join("syscall")).unwrap_or_default();
        // `write`, as x86-64 and as others count it.
        call.starts_with("1 0x1 ") || call.starts_with("64 0x1 ")
    })
}

/// A program that was set up and cannot say so, with a client that asks whether it is alive.
async fn caught() -> (tempfile::TempDir, Child, std::io::PipeReader, TcpStream) {
    let data = tempfile::tempdir().unwrap();
    let (reader, writer) = full_pipe();
    let api = free_address();
    let mut program = serve(&mut pharos(data.path()), &api, writer);
    until("the program prints how to sign in", async || {
        assert_eq!(program.try_wait().unwrap(), None);
        is_printing(&program)
    })
    .await;
    let mut client = TcpStream::connect(api).unwrap();
    let head = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    client.write_all(head.as_bytes()).unwrap();
    (data, program, reader, client)
}

/// Connections to a port that were not accepted yet.
fn waiting(port: u16) -> u64 {
    let local = format!(":{port:04X}");
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let mut sockets = table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<&str>>());
    let listens =
        |cells: &Vec<&str>| cells.len() > 4 && cells[1].ends_with(&local) && cells[3] == "0A";
    let listener = sockets.find(listens).unwrap();
    let (_, accepting) = listener[4].split_once(':').unwrap();
    u64::from_str_radix(accepting, 16).unwrap()
}

/// All that is printed until the program ends.
fn read(mut reader: std::io::PipeReader) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut printed = String::new();
        reader.read_to_string(&mut printed).unwrap();
        printed
    })
}

fn terminate(program: &Child) {
    let id = Pid::from_raw(program.id() as i32).unwrap();
    kill_process(id, Signal::TERM).unwrap();
}

#[actix::test]
async fn nothing_is_answered_before_the_first_set_up_was_printed() {
    let (_data, mut program, reader, mut client) = caught().await;
    let address = client.peer_addr().unwrap();
    let others: Vec<TcpStream> = (0..20)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    until("nobody is let in", async || waiting(address.port()) == 21).await;
    assert!(!is_answered(&client));
    drop(others);
    let printed = read(reader);
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    terminate(&program);
    let status = program.wait().unwrap();
    assert!(status.success(), "{status}");
    assert!(printed.join().unwrap().contains("pharos is set up"));
}

#[actix::test]
async fn a_stop_while_the_first_set_up_is_printed_is_orderly() {
    let (_data, mut program, reader, _client) = caught().await;
    terminate(&program);
    let printed = read(reader);
    let status = program.wait().unwrap();
    assert!(status.success(), "{status}");
    assert!(printed.join().unwrap().contains("pharos is set up"));
}
