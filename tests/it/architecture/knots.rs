//! Modules that name each other in a circle, inside of the rooms: a reader has to know all of a knot before one of its modules.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
};

/// A module's path below the crate, such as `["events", "store"]`.
type Module = Vec<String>;

#[test]
fn modules_of_a_room_do_not_name_each_other_in_a_circle() {
    let sources = Sources::read(&super::src());
    let rooms: BTreeSet<&[String]> = sources
        .texts
        .keys()
        .flat_map(|module| (1..module.len().min(3)).map(|depth| &module[..depth]))
        .collect();
    let mut shown = String::new();
    for room in rooms {
        let found = find_knots(&sources.graph(room));
        if !found.is_empty() {
            let name = room.join("::");
            let _ = writeln!(shown, "{name}: {found:?}");
        }
    }
    assert_eq!(
        shown, "",
        "cut what points upwards, or move what both need below them"
    );
}

#[test]
fn a_circle_of_three_is_a_knot_and_a_chain_is_none() {
    let text =
        |module: &str, text: &str| (vec!["a".to_owned(), module.to_owned()], text.to_owned());
    let mut sources = Sources {
        texts: [
            (
                vec!["a".to_owned()],
                "mod b; mod c; mod d; pub use d::{Deep, Other as Known};".to_owned(),
            ),
            text("b", "use super::{c::X, Known};"),
            text(
                "c",
                "use crate::a::{self, b};\nfn f() { super::Deep::new() }",
            ),
            text("d", "use crate::elsewhere::Y;"),
        ]
        .into(),
    };
    let room = ["a".to_owned()];
    let knot = |modules: &[&str]| {
        modules
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(find_knots(&sources.graph(&room)), [knot(&["b", "c"])]);
    sources.texts.insert(
        vec!["a".to_owned(), "d".to_owned()],
        "use super::b::Z;".to_owned(),
    );
    assert_eq!(find_knots(&sources.graph(&room)), [knot(&["b", "c", "d"])]);
    sources.texts.insert(
        vec!["a".to_owned(), "b".to_owned()],
        code("// use super::d;"),
    );
    assert_eq!(
        find_knots(&sources.graph(&room)),
        Vec::<BTreeSet<String>>::new()
    );
}

/// The sources without their tests.
struct Sources {
    texts: BTreeMap<Module, String>,
}

impl Sources {
    fn read(src: &Path) -> Self {
        let mut texts = BTreeMap::new();
        let mut open = vec![(src.to_owned(), Module::new())];
        while let Some((directory, module)) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                let mut own = module.clone();
                if !matches!(name.as_str(), "mod" | "lib" | "main") {
                    own.push(name);
                }
                if path.is_dir() {
                    open.push((path, own));
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    texts.insert(own, code(&fs::read_to_string(&path).unwrap()));
                }
            }
        }
        let tests: Vec<Module> = texts
            .iter()
            .flat_map(|(module, text)| {
                let declared = text.split("#[cfg(test)]").skip(1);
                declared.filter_map(move |after| {
                    let name = after.trim_start().split_once("mod ")?.1.split_once(';')?.0;
                    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
                    is_name.then(|| [module.clone(), vec![name.to_owned()]].concat())
                })
            })
            .collect();
        texts.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        Self { texts }
    }

    /// Which modules directly inside of a room name which others there.
    fn graph(&self, room: &[String]) -> BTreeMap<String, BTreeSet<String>> {
        let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (module, text) in &self.texts {
            let Some(own) = module.strip_prefix(room).and_then(<[String]>::first) else {
                continue;
            };
            let named = paths(text).into_iter().filter_map(|path| {
                let target = self.resolve(module, &path, 8)?;
                target.strip_prefix(room)?.first().cloned()
            });
            let named = named.filter(|name| name != own);
            graph.entry(own.clone()).or_default().extend(named);
        }
        graph
    }

    /// The module in which what a path names is written, through everything that is only shown elsewhere.
    fn resolve(&self, module: &[String], path: &[String], patience: usize) -> Option<Module> {
        let (mut at, mut rest) = (module.to_vec(), path);
        while let Some((first, others)) = rest.split_first() {
            match first.as_str() {
                "crate" => at.clear(),
                "super" => _ = at.pop(),
                "self" => {}
                _ => break,
            }
            rest = others;
        }
        while let Some((first, others)) = rest.split_first() {
            let inside = [at.as_slice(), std::slice::from_ref(first)].concat();
            if self.texts.contains_key(&inside) {
                (at, rest) = (inside, others);
                continue;
            }
            let shown = reexports(self.texts.get(&at)?)
                .into_iter()
                .find(|(name, _)| name == first);
            let Some((_, from)) = shown.filter(|_| patience > 0) else {
                break;
            };
            return self.resolve(&at, &[&from, others].concat(), patience - 1);
        }
        Some(at)
    }
}

/// The code of a file: no comments, and no tests behind it.
fn code(text: &str) -> String {
    let text = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Every path of a text that begins in the crate, with groups taken apart.
pub(super) fn paths(text: &str) -> Vec<Module> {
    let heads = ["crate::", "super::", "self::"];
    let mut places: Vec<usize> = heads
        .iter()
        .flat_map(|head| text.match_indices(head).map(|(at, _)| at))
        .collect();
    places.sort_unstable();
    let (mut found, mut until) = (Vec::new(), 0);
    for at in places {
        // Not in the middle of another path.
        let before = text[..at].chars().next_back();
        let inside = before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':');
        if at >= until && !inside {
            until = at + read(&text[at..], &mut Module::new(), &mut found);
        }
    }
    found
}

/// What a module shows under a name of its own: `pub use from::X;`.
fn reexports(text: &str) -> Vec<(String, Module)> {
    let uses = text.split("pub").skip(1).filter_map(|after| {
        let after = after
            .strip_prefix("(")
            .map_or(Some(after), |scope| Some(scope.split_once(')')?.1))?;
        after
            .trim_start()
            .strip_prefix("use ")?
            .split_once(';')
            .map(|(tree, _)| tree)
    });
    let mut all = Vec::new();
    for tree in uses {
        let tree = tree.replace('\n', " ");
        let mut found = Vec::new();
        read(tree.trim_start(), &mut Module::new(), &mut found);
        for path in found {
            let alias = tree.split_once(&format!("{} as ", path[path.len() - 1]));
            let name = alias.map_or_else(
                || path[path.len() - 1].clone(),
                |(_, rest)| word(rest).to_owned(),
            );
            all.push((name, path));
        }
    }
    all
}

/// Reads one path, or the paths of a group, behind `prefix`; gives how many bytes it has read.
fn read(text: &str, prefix: &mut Module, found: &mut Vec<Module>) -> usize {
    let name = word(text);
    let mut at = name.len();
    let depth = prefix.len();
    if !name.is_empty() && name != "self" || depth == 0 {
        prefix.push(name.to_owned());
    }
    if let Some(rest) = text[at..].strip_prefix("::") {
        at += 2;
        if rest.starts_with('{') {
            at += 1;
            loop {
                let gap = text[at..].find(|c: char| !c.is_whitespace() && c != ',');
                let Some(gap) = gap else { break };
                at += gap;
                if text[at..].starts_with('}') {
                    at += 1;
                    break;
                }
                at += read(&text[at..], prefix, found).max(1);
                if let Some(alias) = text[at..].trim_start().strip_prefix("as ") {
                    at = text.len() - alias.len() + word(alias).len();
                }
            }
        } else {
            at += read(rest, prefix, found);
        }
    } else {
        found.push(prefix.clone());
    }
    prefix.truncate(depth);
    at
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// Modules that reach each other, in groups of two and more.
fn find_knots(graph: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = graph
        .keys()
        .map(|from| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(at) = open.pop() {
                open.extend(
                    graph
                        .get(at)
                        .into_iter()
                        .flatten()
                        .filter(|to| seen.insert(*to)),
                );
            }
            (from, seen)
        })
        .collect();
    let knots: BTreeSet<BTreeSet<String>> = graph
        .keys()
        .map(|one| {
            let back = reached[one]
                .iter()
                .filter(|to| reached.get(**to).is_some_and(|all| all.contains(one)));
            back.map(|name| (*name).clone()).collect()
        })
        .filter(|knot: &BTreeSet<String>| knot.len() > 1)
        .collect();
    knots.into_iter().collect()
}
