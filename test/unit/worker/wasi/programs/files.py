# What a program does to files, time and streams. Run here and by the machine's own Python; the outputs have to agree.
import errno, hashlib, os, shutil, stat, sys, tempfile, time, zipfile

base = tempfile.mkdtemp(prefix="sallyport")


def p(*names):
    return os.path.join(base, *names)


def write(path, text, mode="w"):
    with open(path, mode, encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def attempt(function, *args):
    try:
        result = function(*args)
        return "file" if hasattr(result, "read") else f"ok {result!r}"
    except OSError as error:
        return f"{type(error).__name__} {errno.errorcode[error.errno]}"


def text_files():
    write(p("a.txt"), "héllo\n" * 3)
    print(read(p("a.txt")).count("é"), os.path.getsize(p("a.txt")))
    write(p("a.txt"), "more", "a")
    with open(p("a.txt"), "r+b") as file:
        file.seek(-4, 2)
        print(file.read())
        file.seek(0)
        file.write(b"H")
        file.truncate(10)
        print(file.tell())
    print(read(p("a.txt")))


def folders():
    os.makedirs(p("d/e/f"))
    write(p("d/e/f/x"), "")
    write(p("d/y"), "yy")
    for root, folders, files in sorted(os.walk(base)):
        print(os.path.relpath(root, base), sorted(folders), sorted(files))
    os.mkdir(p("big"))
    for i in range(1000):
        write(p("big", f"f{i}"), "")
    with os.scandir(p("big")) as entries:
        print(len(os.listdir(p("big"))), sum(entry.is_file() for entry in entries))


def errors():
    for function, *paths in [
        (os.mkdir, "d"), (os.mkdir, "a.txt"), (os.mkdir, "no/x"), (os.rmdir, "d"), (os.rmdir, "a.txt"),
        (os.rmdir, "nope"), (os.unlink, "d"), (os.unlink, "nope"), (open, "d"), (open, "nope"), (open, "a.txt/x"),
        (os.listdir, "a.txt"), (os.listdir, "nope"), (os.stat, "nope"), (os.chdir, "nope"), (os.rename, "d", "a.txt"),
        (os.rename, "a.txt", "d"), (os.rename, "d", "d/e/z"), (os.rename, "nope", "q"), (os.stat, "x/" * 3000),
        (os.stat, "n" * 300), (os.link, "a.txt", "d/y"), (os.symlink, "a.txt", "d/y"),
    ]:
        print(function.__name__, paths[0][:8], attempt(function, *map(p, paths)))
    print(attempt(open, p("d"), "w"), attempt(open, p("a.txt"), "x"), attempt(os.read, 99, 1))
    for flags, act in [
        (os.O_RDONLY, lambda fd: os.write(fd, b"x")),
        (os.O_WRONLY, lambda fd: os.read(fd, 1)),
    ]:
        fd = os.open(p("a.txt"), flags)
        print(attempt(act, fd))
        os.close(fd)
        print(attempt(os.close, fd))
    fd = os.open(p("d"), os.O_RDONLY)
    print(attempt(os.read, fd, 1))
    os.close(fd)


def links():
    os.symlink("a.txt", p("link"))
    os.symlink("d", p("to-d"))
    os.symlink("nowhere", p("dangling"))
    os.symlink("loop", p("loop"))
    print(os.readlink(p("link")), os.path.islink(p("link")), sorted(os.listdir(p("to-d"))))
    print(os.path.exists(p("dangling")), os.path.lexists(p("dangling")))
    print(attempt(open, p("loop")), attempt(open, p("dangling")))
    print(os.path.realpath(p("to-d/e")).endswith("/d/e"), os.path.samefile(p("link"), p("a.txt")))
    os.link(p("a.txt"), p("hard"))
    print(os.stat(p("hard")).st_nlink, os.stat(p("hard")).st_ino == os.stat(p("a.txt")).st_ino)
    print(stat.S_ISLNK(os.lstat(p("link")).st_mode), stat.S_ISDIR(os.stat(p("to-d")).st_mode))


def times():
    os.utime(p("a.txt"), ns=(1111111111222222222, 1500000000123456789))
    found = os.stat(p("a.txt"))
    print(found.st_mtime_ns, found.st_atime_ns, stat.S_ISREG(found.st_mode))
    print(abs(time.time() - os.stat(p("d")).st_mtime) < 60)
    start = time.monotonic()
    time.sleep(0.12)
    print(0.12 <= time.monotonic() - start < 1)


def descriptors():
    fd = os.open(p("low"), os.O_RDWR | os.O_CREAT | os.O_EXCL)
    print(os.write(fd, b"0123456789"), os.lseek(fd, 3, 0), os.read(fd, 3), os.pread(fd, 2, 8))
    print(os.pwrite(fd, b"XX", 0), os.lseek(fd, 0, 1), os.lseek(fd, -1, 2))
    os.ftruncate(fd, 5)
    os.fsync(fd)
    print(os.fstat(fd).st_size)
    os.unlink(p("low"))
    print(os.pread(fd, 10, 0), os.fstat(fd).st_nlink)
    os.close(fd)
    fd = os.open(p("append"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(fd, b"one")
    os.lseek(fd, 0, 0)
    os.write(fd, b"two")
    os.close(fd)
    print(read(p("append")))
    with open(p("sparse"), "wb") as file:
        file.seek(1_000_000)
        file.write(b"x")
    with open(p("sparse"), "rb") as file:
        print(os.path.getsize(p("sparse")), hashlib.md5(file.read()).hexdigest())


def library():
    with zipfile.ZipFile(p("z.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("in/side.txt", "data" * 1000)
        archive.write(p("append"), "append.txt")
    with zipfile.ZipFile(p("z.zip")) as archive:
        print(archive.namelist(), archive.testzip(), len(archive.read("in/side.txt")))
        archive.extractall(p("out"))
    print(sorted(os.listdir(p("out"))), read(p("out/append.txt")))
    with tempfile.NamedTemporaryFile(dir=base) as file:
        file.write(b"tmp")
        file.flush()
        print(os.path.exists(file.name), os.path.getsize(file.name))
    print(os.path.exists(file.name))
    with tempfile.TemporaryFile(dir=base) as file:
        file.write(b"t" * 5000)
        file.seek(0)
        print(len(file.read()))
    shutil.copytree(p("d"), p("d2"))
    shutil.move(p("d2"), p("d3"))
    print(sorted(os.listdir(p("d3"))))


def database():
    import sqlite3

    connection = sqlite3.connect(p("db.sqlite"))
    connection.execute("create table t (a, b)")
    connection.executemany("insert into t values (?, ?)", [(i, str(i)) for i in range(100)])
    connection.commit()
    connection.close()
    connection = sqlite3.connect(p("db.sqlite"))
    print(connection.execute("select sum(a), count(*), max(b) from t").fetchone())
    connection.close()


def streams():
    print(input() == "line one", sys.stdin.readline() == "zwölf\n", sys.stdin.read() == "")
    print(os.isatty(0), os.isatty(1), sys.stdout.isatty())


for part in [text_files, folders, errors, links, times, descriptors, library, database, streams]:
    print("--", part.__name__)
    part()
shutil.rmtree(base)
print(os.path.exists(base))
print("on stderr", file=sys.stderr)
sys.exit(3)
