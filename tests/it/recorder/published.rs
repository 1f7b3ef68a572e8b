//! The document, cut into operations and schemas on disk: it is large, and every test is a process that needs little of it.

use std::{
    cell::RefCell,
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
    sync::OnceLock,
    time::UNIX_EPOCH,
};

use pharos::http::{Host, Urls, openapi, tables};
use serde_json::{Value, json};

/// Placeholders of the public addresses, by which operations name their host.
const TRACK: &str = "http://track";
const LINKS: &str = "http://links";

/// Where operations are, and the folder of the pieces.
pub struct Published {
    folder: PathBuf,
    operations: Vec<PathPattern>,
}

#[derive(Debug)]
struct PathPattern {
    host: Host,
    method: String,
    path: String,
    file: String,
}

/// What a document says about a request.
pub enum Lookup {
    /// The operation, and its path as the document has it.
    Operation(Rc<Value>, String),
    /// The path, but not with this method.
    OtherMethods,
    Nothing,
}

thread_local! {
    static PIECES: RefCell<HashMap<String, Rc<Value>>> = RefCell::default();
}

/// The document of the program that the tests were built with.
pub fn published() -> &'static Published {
    static PUBLISHED: OnceLock<Published> = OnceLock::new();
    PUBLISHED.get_or_init(|| {
        let own = std::env::current_exe().unwrap();
        let file = fs::metadata(own).unwrap();
        let changed = file.modified().unwrap().duration_since(UNIX_EPOCH).unwrap();
        let name = format!("openapi-{:x}-{:x}", changed.as_nanos(), file.len());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if !folder.exists() {
            write_pieces(&folder);
        }
        Published::open(folder)
    })
}

impl Published {
    fn open(folder: PathBuf) -> Self {
        let index = read(&folder.join("index.json"));
        let text = |row: &Value, nth: usize| row[nth].as_str().unwrap().to_owned();
        let places = index.as_array().unwrap().iter().map(|row| PathPattern {
            host: host(row[0].as_str().unwrap()),
            method: text(row, 1),
            path: text(row, 2),
            file: text(row, 3),
        });
        Self {
            operations: places.collect(),
            folder,
        }
    }

    /// The operation that serves a request: of several paths that fit, the one with the fewest parameters.
    pub fn find(&self, host: Host, method: &str, path: &str) -> Lookup {
        let places = self.operations.iter();
        let mut fitting: Vec<&PathPattern> = places
            .filter(|place| place.host == host && fits(&place.path, path))
            .collect();
        let parameters = |place: &&PathPattern| place.path.matches('{').count();
        let Some(fewest) = fitting.iter().map(parameters).min() else {
            return Lookup::Nothing;
        };
        fitting.retain(|place| parameters(place) == fewest);
        match fitting.iter().find(|place| place.method == method) {
            Some(place) => Lookup::Operation(self.piece(&place.file), place.path.clone()),
            None => Lookup::OtherMethods,
        }
    }

    /// What a `$ref` to a component names.
    pub fn refer(&self, path: &str) -> Rc<Value> {
        let name = path.strip_prefix("#/components/").unwrap();
        self.piece(&format!("{}.json", name.replace('/', "-")))
    }

    fn piece(&self, file: &str) -> Rc<Value> {
        let known = PIECES.with_borrow(|pieces| pieces.get(file).cloned());
        known.unwrap_or_else(|| {
            let piece = Rc::new(read(&self.folder.join(file)));
            PIECES.with_borrow_mut(|pieces| pieces.insert(file.to_owned(), Rc::clone(&piece)));
            piece
        })
    }
}

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn host(name: &str) -> Host {
    match name {
        TRACK => Host::Track,
        LINKS => Host::Links,
        _ => Host::Base,
    }
}

/// Whether a path is one of a template such as `/status/{slug}`.
fn fits(template: &str, path: &str) -> bool {
    let (mut wanted, mut own) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), own.next()) {
            (None, None) => return true,
            (Some(wanted), Some(own)) => {
                let (start, end) = (wanted.find('{'), wanted.find('}'));
                let fits = match (start, end) {
                    (Some(start), Some(end)) => {
                        let (before, behind) = (&wanted[..start], &wanted[end + 1..]);
                        own.len() > before.len() + behind.len()
                            && own.starts_with(before)
                            && own.ends_with(behind)
                    }
                    _ => wanted == own,
                };
                if !fits {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

/// Writes the pieces of the document and lets them appear at once, whichever process is first.
fn write_pieces(folder: &Path) {
    let urls = Urls {
        base: "http://base".into(),
        track: TRACK.into(),
        links: LINKS.into(),
        docs: "http://base".into(),
    };
    let document = openapi::document(&urls);
    let unfinished = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let write = |name: &str, value: &Value| {
        fs::write(unfinished.path().join(name), value.to_string()).unwrap();
    };
    for kind in ["schemas", "responses"] {
        for (name, component) in document["components"][kind].as_object().unwrap() {
            write(&format!("{kind}-{name}.json"), component);
        }
    }
    let mut index = Vec::new();
    for (path, method, server) in crate::openapi::operations(&document) {
        let operation = &document["paths"][&path][&method];
        let file = format!("operation-{}.json", index.len());
        write(&file, operation);
        let server = server.unwrap_or_default();
        let method = method.to_uppercase();
        let aliases = tables().into_iter().filter(|route| {
            route.path == path && route.host == host(&server) && route.method.as_str() == method
        });
        let aliases = aliases.flat_map(|route| route.aliases);
        for path in std::iter::once(path.as_str()).chain(aliases) {
            index.push(json!([server, method, path, file]));
        }
    }
    write("index.json", &Value::Array(index));
    // A process that was faster has the same pieces.
    if fs::rename(unfinished.path(), folder).is_ok() {
        let _ = unfinished.keep();
        remove_others(folder);
    }
}

/// Removes the pieces of earlier builds.
fn remove_others(folder: &Path) {
    for entry in fs::read_dir(folder.parent().unwrap()).unwrap().flatten() {
        let is_earlier = entry.file_name().to_string_lossy().starts_with("openapi-");
        if is_earlier && entry.path() != folder {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
