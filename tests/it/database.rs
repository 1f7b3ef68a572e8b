//! Where the programs of the tests keep their state: a file, or with `PHAROS_TEST_POSTGRES` (`scripts/postgres`) a database of
//! their own on that server, one for each data directory.

use std::{
    collections::HashSet,
    path::Path,
    sync::{Mutex, PoisonError},
};

use migration::{Migrator, MigratorTrait};
use pharos::store::{
    StateDb,
    state::{FILE, Options},
};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, QueryResult, Statement};

/// Names of the databases that this process has made.
static MADE: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// The server, when the tests are to run against PostgreSQL.
fn server() -> Option<String> {
    std::env::var("PHAROS_TEST_POSTGRES").ok()
}

/// Whether the tests run against PostgreSQL.
pub fn is_shared() -> bool {
    server().is_some()
}

/// `database.url` of a data directory; its database is there.
pub fn url(directory: &Path) -> String {
    let Some(server) = server() else {
        return "sqlite".to_owned();
    };
    let name = name(directory);
    let url = database_url(&server, &name);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if made.get_or_insert_default().insert(name.clone()) {
        apart(async move { make(&server, &name).await });
    }
    url
}

/// Where the state of a data directory is.
pub fn options(directory: &Path) -> Options {
    Options {
        url: url(directory),
        data_dir: directory.to_owned(),
    }
}

/// Opens the state of a data directory.
pub async fn open(directory: &Path) -> StateDb {
    StateDb::open(&options(directory)).await.unwrap()
}

/// How many rows a table has.
pub async fn counted(db: &DatabaseConnection, table: &str) -> i64 {
    let ask = format!("SELECT count(*) FROM {table}");
    let ask = Statement::from_string(db.get_database_backend(), ask);
    let row = db.query_one_raw(ask).await.unwrap().unwrap();
    row.try_get_by_index(0).unwrap()
}

/// Every row of every table of PostgreSQL as JSON, what is stored as bytes as text where it is any.
pub async fn rows_as_text(db: &DatabaseConnection) -> Vec<String> {
    let all = async |ask: String| {
        let ask = Statement::from_string(db.get_database_backend(), ask);
        let rows = db.query_all_raw(ask).await.unwrap();
        let text = |row: &QueryResult| row.try_get_by_index::<String>(0).unwrap();
        rows.iter().map(text).collect::<Vec<_>>()
    };
    let tables =
        "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'";
    let mut rows = Vec::new();
    for table in all(tables.to_owned()).await {
        let plain = format!("SELECT to_jsonb(one)::text FROM \"{table}\" one");
        // A field's bytes are written as hexadecimal digits there.
        rows.extend(all(plain).await.iter().map(|row| legible(row)));
    }
    rows
}

/// JSON of a row with its bytes as text behind it.
fn legible(row: &str) -> String {
    let bytes = row.split("\\\\x").skip(1).map(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit);
        let digits: Vec<u8> = digits.collect();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
        let bytes: Vec<u8> = digits
            .chunks_exact(2)
            .map(|two| byte(two).unwrap())
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let bytes: Vec<String> = bytes.collect();
    format!("{row} {}", bytes.join(" "))
}

/// Deletes the database of a data directory; its files are its owner's.
pub async fn drop_database(directory: &Path) {
    if let Some(server) = server() {
        let admin = Database::connect(&server).await.unwrap();
        let gone = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", name(directory));
        admin.execute_unprepared(&gone).await.unwrap();
        admin.close().await.unwrap();
    }
}

/// Keeps a copy of the state of a data directory, whose program is stopped, under a name.
pub async fn keep_copy(directory: &Path, copy: &str) {
    if let Some(server) = server() {
        let admin = Database::connect(&server).await.unwrap();
        let (own, copy) = (name(directory), format!("{}_{copy}", name(directory)));
        let make = format!("CREATE DATABASE {copy} TEMPLATE {own}");
        admin.execute_unprepared(&make).await.unwrap();
        admin.close().await.unwrap();
    } else {
        std::fs::copy(directory.join(FILE), directory.join(copy)).unwrap();
    }
}

/// Puts a copy in the place of the state of a data directory, whose program is stopped.
pub async fn put_back(directory: &Path, copy: &str) {
    if let Some(server) = server() {
        let admin = Database::connect(&server).await.unwrap();
        let (own, copy) = (name(directory), format!("{}_{copy}", name(directory)));
        for statement in [
            format!("DROP DATABASE {own} WITH (FORCE)"),
            format!("CREATE DATABASE {own} TEMPLATE {copy}"),
        ] {
            admin.execute_unprepared(&statement).await.unwrap();
        }
        admin.close().await.unwrap();
    } else {
        for part in ["-wal", "-shm"] {
            let part = directory.join(format!("{FILE}{part}"));
            assert!(!part.exists() || std::fs::remove_file(part).is_ok());
        }
        std::fs::copy(directory.join(copy), directory.join(FILE)).unwrap();
    }
}

/// Forgets a copy.
pub async fn drop_copy(directory: &Path, copy: &str) {
    if let Some(server) = server() {
        let admin = Database::connect(&server).await.unwrap();
        let gone = format!("DROP DATABASE {}_{copy}", name(directory));
        admin.execute_unprepared(&gone).await.unwrap();
        admin.close().await.unwrap();
    }
}

/// A name that is unique to the directory.
pub fn name(directory: &Path) -> String {
    let path = std::path::absolute(directory).unwrap();
    let hash = blake3::hash(path.as_os_str().as_encoded_bytes());
    format!("pharos_{}", &hash.to_hex()[..32])
}

fn database_url(server: &str, name: &str) -> String {
    let mut url = url::Url::parse(server).unwrap();
    url.set_path(name);
    url.into()
}

/// Copies the template, which the first who needs it makes.
async fn make(server: &str, name: &str) {
    let admin = Database::connect(server).await.unwrap();
    let template = template();
    let make = format!("CREATE DATABASE {name} TEMPLATE {template}");
    if !exists(&admin, &template).await {
        // Given back with the connection.
        let hold = Database::connect(server).await.unwrap();
        let lock = "SELECT pg_advisory_lock(1)";
        hold.execute_unprepared(lock).await.unwrap();
        if !exists(&admin, &template).await {
            prepare(server, &admin, &template).await;
        }
        hold.close().await.unwrap();
    }
    if !exists(&admin, name).await {
        admin.execute_unprepared(&make).await.unwrap();
    }
    admin.close().await.unwrap();
}

/// Under another name until it is whole.
async fn prepare(server: &str, admin: &DatabaseConnection, template: &str) {
    let draft = format!("{template}_draft");
    for statement in [
        format!("DROP DATABASE IF EXISTS {draft} WITH (FORCE)"),
        format!("CREATE DATABASE {draft}"),
    ] {
        admin.execute_unprepared(&statement).await.unwrap();
    }
    let options = Options {
        url: database_url(server, &draft),
        data_dir: std::env::temp_dir(),
    };
    let db = StateDb::open(&options).await.unwrap();
    db.migrate().await.unwrap();
    db.close().await.unwrap();
    let whole = format!("ALTER DATABASE {draft} RENAME TO {template}");
    admin.execute_unprepared(&whole).await.unwrap();
}

/// One for each schema.
fn template() -> String {
    let steps: Vec<_> = Migrator::migrations()
        .iter()
        .map(|step| step.name().to_owned())
        .collect();
    let hash = blake3::hash(steps.join(",").as_bytes());
    format!("template_{}", &hash.to_hex()[..16])
}

async fn exists(admin: &DatabaseConnection, name: &str) -> bool {
    let ask = format!("SELECT 1 FROM pg_database WHERE datname = '{name}'");
    let ask = Statement::from_string(admin.get_database_backend(), ask);
    admin.query_one_raw(ask).await.unwrap().is_some()
}

/// Waits for something with a runtime of its own, wherever the caller is.
fn apart(work: impl Future<Output = ()> + Send + 'static) {
    let waiting = std::thread::spawn(move || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().build().unwrap().block_on(work);
    });
    waiting.join().unwrap();
}
