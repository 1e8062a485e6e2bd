//! No import cycle among the top-level modules of the library.

use std::collections::{BTreeMap, BTreeSet};

use super::{code, library};

/// Allowed imports in a cycle. The list only shrinks: an entry that is in no cycle fails the test.
const ALLOWED: &[(&str, &str)] = &[];

/// Top-level modules that each top-level module imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The top-level module of a source file; `None` for the crate root.
fn module_of(file: &str) -> Option<&str> {
    let module = file.split('/').next().unwrap_or_default().trim_end_matches(".rs");
    (module != "lib").then_some(module)
}

/// The first segments of the paths after `crate::`: one name, or one for each member of a group in braces.
fn first_segments(path: &str) -> Vec<&str> {
    let name = |path: &str| path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len());
    let Some(group) = path.strip_prefix('{') else { return vec![&path[..name(path)]] };
    let mut found = Vec::new();
    let (mut depth, mut start) = (1, 0);
    for (at, character) in group.char_indices() {
        depth += i32::from(character == '{') - i32::from(character == '}');
        if depth == 0 || (depth == 1 && character == ',') {
            let member = group[start..at].trim_start();
            found.push(&member[..name(member)]);
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// The import graph of source files, given with their paths relative to the crate root. `exported` maps names that the
/// crate root re-exports to their modules.
fn imports(files: &[(String, String)], exported: &[(&str, &str)]) -> Imports {
    let mut graph = Imports::new();
    for (file, text) in files {
        let Some(module) = module_of(file) else { continue };
        let imported = graph.entry(module.to_owned()).or_default();
        let text: String = code(file, text).iter().flat_map(|(_, line)| [*line, "\n"]).collect();
        for (at, found) in text.match_indices("crate::") {
            for name in first_segments(&text[at + found.len()..]) {
                let from = exported.iter().find(|(export, _)| *export == name).map_or(name, |(_, from)| from);
                if from != module {
                    imported.insert(from.to_owned());
                }
            }
        }
    }
    graph
}

/// Modules that are reachable from a module by imports.
fn reached<'a>(graph: &'a Imports, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = vec![from];
    while let Some(module) = open.pop() {
        for next in graph.get(module).into_iter().flatten() {
            if reached.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    reached
}

/// Imports within a strongly connected component.
fn cyclic_imports(graph: &Imports) -> BTreeSet<(&str, &str)> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|module| (module.as_str(), reached(graph, module))).collect();
    let edges = graph.iter().flat_map(|(from, to)| to.iter().map(|to| (from.as_str(), to.as_str())));
    edges.filter(|(from, to)| reached.get(to).is_some_and(|reached| reached.contains(from))).collect()
}

#[test]
fn top_level_modules_have_no_import_cycle() {
    let graph = imports(&library(), &[("Error", "error"), ("Result", "error")]);
    let unknown: Vec<&String> = graph.values().flatten().filter(|module| !graph.contains_key(*module)).collect();
    assert!(unknown.is_empty(), "not a top-level module: {unknown:?}");
    let found = cyclic_imports(&graph);
    let allowed: BTreeSet<(&str, &str)> = ALLOWED.iter().copied().collect();
    let new: Vec<_> = found.difference(&allowed).collect();
    let old: Vec<_> = allowed.difference(&found).collect();
    assert!(new.is_empty(), "imports in a cycle: {new:#?}");
    assert!(old.is_empty(), "allowed imports that are in no cycle: {old:#?}");
}

#[test]
fn import_cycles_are_detected() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let files = [
        file("lib.rs", "pub mod a;\npub use crate::a::X;\n"),
        file("a.rs", "use crate::{\n    b::{Y, Z},\n    e,\n};\n/// crate::d\nfn f() {}\n"),
        file("b/mod.rs", "mod inner;\nuse crate::b::inner::Y;\n"),
        file("b/inner.rs", "fn g() -> crate::c::W { crate::Fault }\n"),
        file("c.rs", "use crate::a::X;\nuse crate::e::V;\n"),
        file("d.rs", "use crate::a::X;\n"),
        file("d/tests.rs", "use crate::f;\n"),
        file("e.rs", "// use crate::a;\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n"),
        file("f.rs", ""),
    ];
    let graph = imports(&files, &[("Fault", "f")]);
    let to = |module: &str| graph[module].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!((to("a"), to("b"), to("c")), (vec!["b", "e"], vec!["c", "f"], vec!["a", "e"]));
    assert_eq!((to("d"), to("e"), to("f")), (vec!["a"], vec![], vec![]));
    assert!(!graph.contains_key("lib"));
    assert_eq!(cyclic_imports(&graph), BTreeSet::from([("a", "b"), ("b", "c"), ("c", "a")]));
}
