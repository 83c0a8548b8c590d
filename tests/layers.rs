//! A module uses only rows below its own.

use std::path::Path;

/// The rows of the house, bottom to top; siblings do not know each other.
const ROWS: [&[&str]; 10] = [
    &["error", "finding", "memory", "progress"],
    &["types"],
    &["input", "codec"],
    &["fix", "event"],
    &["order", "mapping"],
    &["table"],
    &["link"],
    &["pipeline", "query"],
    &["cli"],
    &["simulate"],
];

fn row(module: &str) -> Option<usize> {
    ROWS.iter().position(|modules| modules.contains(&module))
}

/// Modules that a source file names by `crate::module`, in code outside of tests.
fn used(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("read");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| {
            line.match_indices("crate::").map(|(at, found)| line[at + found.len()..].to_string()).collect::<Vec<_>>()
        })
        .flat_map(|rest| {
            let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
            match rest.strip_prefix('{') {
                Some(list) => list.split([',', '}']).map(|part| word(part.trim())).collect(),
                None => vec![word(&rest)],
            }
        })
        .collect()
}

#[test]
fn a_module_uses_only_rows_below_its_own() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut checked = 0;
    let mut pending = vec![src.clone()];
    while let Some(dir) = pending.pop() {
        for entry in std::fs::read_dir(dir).expect("listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let relative = path.strip_prefix(&src).expect("below").to_str().expect("UTF-8").to_string();
            let module = relative.split('/').next().expect("a module").trim_end_matches(".rs");
            let is_test = relative.ends_with("tests.rs") || relative.contains("/tests/");
            let Some(own) = row(module).filter(|_| !is_test) else { continue };
            checked += 1;
            for other in used(&path) {
                match row(&other) {
                    Some(theirs) if other != module && theirs >= own => wrong.push(format!("{relative} uses {other}")),
                    _ => {}
                }
            }
        }
    }
    assert!(checked > 60, "only {checked} files were looked at");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_module_has_a_row() {
    let lib = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("read");
    let modules: Vec<&str> = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert!(modules.len() > 10);
    for module in modules {
        assert!(row(module).is_some(), "{module} has no row in the house");
    }
}
