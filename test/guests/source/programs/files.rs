// Guest: what a Rust program does to files, time and streams; the tests build the same source natively and compare.
// argv: a writable folder, which has to be empty. Env GREETING, stdin two lines. Exit code 7.
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

// Kinds that the standard library had no stable name for are told by their number, which differs by system.
fn kind(error: &io::Error) -> String {
    let code = error.raw_os_error().unwrap_or(0);
    let wasi = cfg!(target_os = "wasi");
    let names = [
        ("not empty", 39, 55),
        ("is a folder", 21, 31),
        ("not a folder", 20, 54),
        ("a loop", 40, 32),
        ("a bad descriptor", 9, 8),
        ("name too long", 36, 37),
    ];
    for (name, linux, preview1) in names {
        if code == if wasi { preview1 } else { linux } {
            return name.to_string();
        }
    }
    match error.kind() {
        ErrorKind::NotFound => "not found".to_string(),
        ErrorKind::AlreadyExists => "exists".to_string(),
        ErrorKind::PermissionDenied => "not permitted".to_string(),
        ErrorKind::InvalidInput => "invalid".to_string(),
        _ => format!("error {code}"),
    }
}

fn say(what: &str, error: Option<io::Error>) {
    println!(
        "{what}: {}",
        error.map_or_else(|| "ok".to_string(), |error| kind(&error))
    );
}

fn names(folder: &Path) -> io::Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let mark = if entry.file_type()?.is_dir() { "/" } else { "" };
        names.push(format!("{}{mark}", entry.file_name().to_string_lossy()));
    }
    names.sort();
    Ok(names.join(" "))
}

fn files(base: &Path) -> io::Result<()> {
    let path = base.join("a.txt");
    fs::write(&path, "héllo\nwörld\n")?;
    println!("[{}]", fs::read_to_string(&path)?);
    let mut file = OpenOptions::new().append(true).open(&path)?;
    file.write_all(b"more\n")?;
    println!("{}", fs::metadata(&path)?.len());
    let mut file = OpenOptions::new().read(true).write(true).open(&path)?;
    println!("{}", file.seek(SeekFrom::End(-5))?);
    let mut rest = String::new();
    file.read_to_string(&mut rest)?;
    print!("{rest}");
    file.rewind()?;
    file.write_all(b"H")?;
    file.set_len(6)?;
    file.sync_all()?;
    println!("[{}] {}", fs::read_to_string(&path)?, file.stream_position()?);
    say("before the start", file.seek(SeekFrom::Current(-9)).err());
    say("new", OpenOptions::new().write(true).create_new(true).open(&path).err());
    say("nothing", File::open(base.join("none")).err());
    say("a folder", fs::write(base, "x").err());
    say("below a file", File::open(path.join("x")).err());
    say("a long name", File::open(base.join("n".repeat(300))).err());
    say("write what is for reading", File::open(&path)?.write(b"x").err());
    let big = base.join("big");
    let mut file = File::create(&big)?;
    for i in 0..200u8 {
        file.write_all(&[i; 4001])?;
    }
    let bytes = fs::read(&big)?;
    let sum = bytes
        .iter()
        .fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(*byte)));
    println!("{} {sum}", bytes.len());
    Ok(())
}

fn folders(base: &Path) -> io::Result<()> {
    let deep = base.join("d/e/f");
    fs::create_dir_all(&deep)?;
    fs::write(deep.join("x"), "")?;
    println!("[{}] [{}]", names(base)?, names(&deep)?);
    say("mkdir again", fs::create_dir(base.join("d")).err());
    say("rmdir of a full one", fs::remove_dir(base.join("d")).err());
    say("rmdir of a file", fs::remove_dir(base.join("a.txt")).err());
    say("unlink of a folder", fs::remove_file(base.join("d")).err());
    say("list a file", fs::read_dir(base.join("a.txt")).err());
    say("folder over file", fs::rename(base.join("d"), base.join("a.txt")).err());
    say("file over folder", fs::rename(base.join("a.txt"), base.join("d")).err());
    say("into itself", fs::rename(base.join("d"), base.join("d/e/z")).err());
    say("rename", fs::rename(base.join("big"), base.join("d/renamed")).err());
    for i in 0..300 {
        fs::write(base.join(format!("d/{i}")), i.to_string())?;
    }
    println!("{}", fs::read_dir(base.join("d"))?.count());
    fs::remove_dir_all(base.join("d"))?;
    fs::hard_link(base.join("a.txt"), base.join("hard"))?;
    fs::remove_file(base.join("a.txt"))?;
    println!("[{}] [{}]", fs::read_to_string(base.join("hard"))?, names(base)?);
    Ok(())
}

fn times(base: &Path) -> io::Result<()> {
    let age = SystemTime::now().duration_since(fs::metadata(base.join("hard"))?.modified()?);
    println!("{}", age.map_or(true, |age| age < Duration::from_secs(60)));
    let start = Instant::now();
    std::thread::sleep(Duration::from_millis(120));
    println!("{}", (120..2000).contains(&start.elapsed().as_millis()));
    Ok(())
}

fn streams() -> io::Result<()> {
    let mut first = String::new();
    io::stdin().read_line(&mut first)?;
    let mut rest = String::new();
    io::stdin().read_to_string(&mut rest)?;
    println!("[{first}] [{rest}] {}", io::stdin().read_line(&mut rest)?);
    for i in 0..2000 {
        println!("line {i}");
    }
    eprintln!("on stderr");
    Ok(())
}

fn main() {
    let base = PathBuf::from(std::env::args().nth(1).unwrap_or_default());
    println!(
        "{} {}",
        std::env::var("GREETING").unwrap_or_default(),
        std::env::var("MISSING").is_err()
    );
    say("files", files(&base).err());
    say("folders", folders(&base).err());
    say("times", times(&base).err());
    say("streams", streams().err());
    std::process::exit(7);
}
