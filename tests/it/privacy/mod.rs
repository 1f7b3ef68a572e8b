//! Who a visitor was must not be in any file or log, and must not be found out later (threat T47).

use std::{
    fs,
    net::IpAddr,
    path::{Path, PathBuf},
};

mod addresses;
mod ids;

/// Addresses in the Netherlands whose bytes are unlikely to occur by chance.
const MARKED_V4: &str = "145.97.219.46";
const MARKED_V6: &str = "2001:67c:2e8:5ca1:ab1e:c0de:f00d:dead";
/// A loopback address that no other test uses.
const MARKED_PEER: &str = "127.83.217.46";

pub(crate) fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        // The socket on which commands ask is no file.
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.is_file() {
            found.push(path);
        }
    }
    found
}

/// Files of a directory that contain one of these, in any case.
fn holding(directory: &Path, wanted: &[Vec<u8>]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files(directory) {
        let bytes = fs::read(&file).unwrap().to_ascii_lowercase();
        let held = wanted.iter().filter(|form| holds(&bytes, form));
        found.extend(
            held.map(|form| format!("{}: {:?}", file.display(), String::from_utf8_lossy(form))),
        );
    }
    found
}

fn holds(lower: &[u8], form: &[u8]) -> bool {
    let form = form.to_ascii_lowercase();
    memchr::memmem::find(lower, &form).is_some()
}

/// An address in every common notation.
fn forms(address: &str) -> Vec<Vec<u8>> {
    let address: IpAddr = address.parse().unwrap();
    let mut forms = vec![address.to_string().into_bytes()];
    let mut packed = |bytes: &[u8]| {
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        let pairs: Vec<String> = hex.chunks(2).map(<[String]>::concat).collect();
        forms.extend([
            hex.concat().into_bytes(),
            hex.join(":").into_bytes(),
            hex.join("-").into_bytes(),
            pairs.join(":").into_bytes(),
            bytes.to_vec(),
            reversed,
        ]);
    };
    match address {
        IpAddr::V4(v4) => {
            packed(&v4.octets());
            let dashed = v4.to_string().replace('.', "-");
            forms.extend([u32::from(v4).to_string().into_bytes(), dashed.into_bytes()]);
        }
        IpAddr::V6(v6) => {
            packed(&v6.octets());
            // The network alone would be telling, too.
            packed(&v6.octets()[..8]);
            let network = v6.to_string();
            forms.push(network.as_bytes()[.."2001:67c:2e8:5ca1".len()].to_vec());
        }
    }
    forms
}

#[test]
fn every_shape_of_an_address_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let shapes: [&[u8]; 8] = [
        b"x145.97.219.46:80",
        b"\x91\x61\xdb\x2e",
        b"\x2e\xdb\x61\x91",
        b"0x9161DB2E",
        b"::ffff:9161:db2e",
        b"2439109422",
        b"ip-145-97-219-46",
        b"91-61-DB-2E",
    ];
    for shape in shapes {
        fs::write(
            directory.path().join("file"),
            [b"..", shape, b".."].concat(),
        )
        .unwrap();
        assert!(
            !holding(directory.path(), &forms(MARKED_V4)).is_empty(),
            "{shape:?}"
        );
        assert!(
            holding(directory.path(), &forms(MARKED_V6)).is_empty(),
            "{shape:?}"
        );
    }
    for shape in [
        &b"[2001:67C:2E8:5CA1:AB1E:C0DE:F00D:DEAD]"[..],
        b"2001067c02e85ca1ab1ec0def00ddead",
        b"2001:067c:02e8:5ca1::/64",
        b"\x20\x01\x06\x7c\x02\xe8\x5c\xa1",
    ] {
        fs::write(directory.path().join("file"), shape).unwrap();
        assert!(
            !holding(directory.path(), &forms(MARKED_V6)).is_empty(),
            "{shape:?}"
        );
    }
}
