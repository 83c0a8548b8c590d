//! `fixtrail query`: answers to standard output or a file.

use super::args::Color;
pub use super::query_args::QueryArgs;
use super::query_args::{AtArgs, FilesArgs, OrderArgs, QueryWhat, SqlArgs, SqlFormat, VersionsArgs, VersionsFormat};
use super::target::{Target, file_error};
use super::{Outcome, say};
use crate::query::{Format, LiveFiles, Place, Source, SqlQuery, Style, Table, order, sql, versions, write_files};
use crate::table::Trail;
use crate::table::ids::{Groups, IDS, Ids};
use crate::{Error, Result};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

/// Runs the subcommand.
///
/// # Errors
/// Trouble that stops it.
pub fn run_command(args: &QueryArgs) -> Result<Outcome> {
    match &args.what {
        QueryWhat::Order(args) => order_story(args),
        QueryWhat::Sql(args) => run_sql(args),
        QueryWhat::Files(args) => files(args),
        QueryWhat::Versions(args) => list_versions(args),
    }
}

/// A version of a trail; its commit says which files are live.
struct Live {
    trail: Trail,
    /// Opened when it is needed; none when there is none, or when it cannot be used.
    ids: OnceCell<Option<Ids>>,
}

impl Live {
    fn open(path: &Path, at: AtArgs) -> Result<Live> {
        must_be_a_trail(path)?;
        match (at.version, at.as_known_at) {
            (Some(version), _) => Trail::open_version(path, version),
            (None, Some(time)) => Trail::open_as_known_at(path, time.0),
            (None, None) => Trail::open(path),
        }
        .map(|trail| Live { trail, ids: OnceCell::new() })
    }

    fn ids(&self) -> Option<&Ids> {
        self.ids.get_or_init(|| or_everywhere(Ids::open(&self.trail.index_files(IDS)))).as_ref()
    }
}

/// What an index says; when it cannot be used, that is said, and everything is searched.
fn or_everywhere<T>(told: Result<T>) -> Option<T> {
    told.inspect_err(|error| say(&format!("warning: {error}; all files are searched"))).ok()
}

/// An error unless a trail is there.
pub fn must_be_a_trail(path: &Path) -> Result<()> {
    if !path.is_dir() {
        return Err(Error::Usage(format!("{}: no such directory", path.display())));
    }
    if !Trail::exists(path) {
        return Err(Error::Usage(format!("{}: is no trail; `fixtrail link -o` makes one", path.display())));
    }
    Ok(())
}

impl LiveFiles for Live {
    fn files(&self, table: Table) -> Result<Vec<PathBuf>> {
        // What `parse -o` wrote has no links and no lifecycles.
        if !self.trail.commit().tables.iter().any(|state| state.name == table.as_str()) {
            return Ok(Vec::new());
        }
        self.trail.files(table.as_str())
    }

    fn places(&self, table: Table, ids: &BTreeSet<String>) -> Result<Vec<Place>> {
        let everywhere = |path: PathBuf| Place { path, groups: Groups::All };
        let files = self.files(table)?;
        let index = if table == Table::Findings { None } else { self.ids() };
        let found = index.and_then(|index| or_everywhere(index.look_up(ids.iter().map(String::as_str))));
        let Some((index, found)) = index.zip(found) else {
            return Ok(files.into_iter().map(everywhere).collect());
        };
        let place = |path: PathBuf| {
            let within = path.strip_prefix(self.trail.path()).unwrap_or(&path).to_string_lossy().into_owned();
            match found.get(&within) {
                Some(groups) => Some(Place { path, groups: groups.clone() }),
                None if index.covers(&within) => None,
                None => Some(everywhere(path)),
            }
        };
        Ok(files.into_iter().filter_map(place).collect())
    }
}

fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

fn style(color: Color, ascii: bool) -> Style {
    let terminal = io::stdout().is_terminal();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colour = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && !no_color,
    };
    Style { width: if terminal { width() } else { None }, colour, ascii }
}

/// Columns of the terminal on standard output.
fn width() -> Option<usize> {
    #[cfg(unix)]
    {
        // SAFETY: the kernel fills a structure of plain numbers that lives for the call, and says whether it did.
        let size = unsafe {
            let mut size = std::mem::zeroed::<libc::winsize>();
            (libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &mut size) == 0).then_some(size)
        };
        size.map(|size| usize::from(size.ws_col)).filter(|width| *width > 0)
    }
    #[cfg(not(unix))]
    None
}

fn order_story(args: &OrderArgs) -> Result<Outcome> {
    let live = Live::open(&args.trail, args.at)?;
    let stories = order::find(&live, &args.id)?;
    if stories.is_empty() {
        super::say(&format!("no order in {} has the identifier {}", args.trail.display(), args.id.escape_debug()));
        return Ok(Outcome::Findings);
    }
    let mut out = stdout();
    if args.json {
        order::write_json(&stories, &mut out)?;
    } else {
        order::write_trees(&stories, &style(args.color, args.ascii), &mut out)?;
    }
    out.flush().map_err(Error::stdout)?;
    Ok(Outcome::Clean)
}

fn files(args: &FilesArgs) -> Result<Outcome> {
    let live = Live::open(&args.trail, args.at)?;
    let table = Table::from_word(&args.table)
        .ok_or_else(|| Error::Usage(format!("no table is called {}", args.table.escape_debug())))?;
    let mut out = stdout();
    write_files(&live, table, args.null, &mut out)?;
    out.flush().map_err(Error::stdout)?;
    Ok(Outcome::Clean)
}

fn list_versions(args: &VersionsArgs) -> Result<Outcome> {
    must_be_a_trail(&args.trail)?;
    let format = match args.format {
        _ if args.json => Format::Json,
        Some(VersionsFormat::Json) => Format::Json,
        Some(VersionsFormat::Table) => Format::Table,
        None if io::stdout().is_terminal() => Format::Table,
        Some(VersionsFormat::Csv) | None => Format::Csv,
    };
    let mut out = stdout();
    versions::write(Trail::history(&args.trail)?, format, &mut out)?;
    out.flush().map_err(Error::stdout)?;
    Ok(Outcome::Clean)
}

fn run_sql(args: &SqlArgs) -> Result<Outcome> {
    let (statement, words) = statement(args)?;
    let trails: Vec<Option<Live>> = words
        .iter()
        .map(|word| {
            let path = Path::new(Source::split_name(word).1);
            if path.is_dir() && Trail::exists(path) { Live::open(path, args.at).map(Some) } else { Ok(None) }
        })
        .collect::<Result<_>>()?;
    if trails.iter().all(Option::is_none) && (args.at.version.is_some() || args.at.as_known_at.is_some()) {
        return Err(Error::Usage("a version was asked for, and none of the sources is a trail".to_string()));
    }
    let mut sources = Vec::new();
    for (word, trail) in words.iter().zip(&trails) {
        let (name, path) = Source::split_name(word);
        sources.push(match trail {
            Some(files) => Source::Trail { prefix: name.map(str::to_string), files },
            None => Source::file(name, path)?,
        });
    }
    let format = format(args);
    let style = style(args.color, false);
    if format == Format::Parquet && args.output.is_none() {
        return Err(Error::Usage("Parquet goes to a file: give -o FILE".to_string()));
    }
    let max_rows = (args.max_rows > 0).then_some(args.max_rows);
    let query = SqlQuery { statement: &statement, sources, format, max_rows, style };
    let target = Target::open(args.output.as_deref(), args.force)?;
    let error = if matches!(target, Target::Stdout) { Error::stdout } else { file_error };
    let mut out = target.writer()?;
    sql::run(&query, &mut out)?;
    out.flush().map_err(error)?;
    drop(out);
    target.publish()?;
    Ok(Outcome::Clean)
}

/// The statement, and the words that name sources.
fn statement(args: &SqlArgs) -> Result<(String, &[String])> {
    let read_all = |reader: &mut dyn Read, path: &Path| {
        let mut text = String::new();
        reader.read_to_string(&mut text).map_err(Error::io(path, "cannot read"))?;
        Ok::<String, Error>(text)
    };
    match (&args.file, args.words.as_slice()) {
        (Some(path), words) if path.as_os_str() == "-" => {
            Ok((read_all(&mut io::stdin(), Path::new("standard input"))?, words))
        }
        (Some(path), words) => {
            let mut file = std::fs::File::open(path).map_err(Error::io(path, "cannot read"))?;
            Ok((read_all(&mut file, path)?, words))
        }
        (None, [first, words @ ..]) if first == "-" => {
            Ok((read_all(&mut io::stdin(), Path::new("standard input"))?, words))
        }
        (None, [first, words @ ..]) => Ok((first.clone(), words)),
        (None, []) => Err(Error::Usage(
            "no statement: write it first, such as `fixtrail query sql 'select * from lifecycles' trail/`".to_string(),
        )),
    }
}

/// As asked for, by the file's name, or what suits standard output.
fn format(args: &SqlArgs) -> Format {
    if args.json {
        return Format::Json;
    }
    match (args.format, &args.output) {
        (Some(SqlFormat::Table), _) => Format::Table,
        (Some(SqlFormat::Csv), _) => Format::Csv,
        (Some(SqlFormat::Json), _) => Format::Json,
        (Some(SqlFormat::Parquet), _) => Format::Parquet,
        (None, Some(path)) => {
            path.extension().and_then(|e| e.to_str()).and_then(Format::from_word).unwrap_or(Format::Csv)
        }
        (None, None) if io::stdout().is_terminal() => Format::Table,
        (None, None) => Format::Csv,
    }
}
