// The standard library at work in a guest: what programs of every day use, on both builds; page and Node.

import { prints, pythonCases } from "./python-case.ts";

export const library = pythonCases({
  "json, both ways": prints(
    `import json
value = {"a": [1, 2.5, None, True, "é\\u2028"], "big": 2**70}
text = json.dumps(value, ensure_ascii=False, sort_keys=True)
print(json.loads(text) == value, json.dumps("é"))`,
    'True "\\u00e9"\n',
  ),
  "re: groups, unicode, substitution": prints(
    `import re
print(re.sub(r"(?P<y>\\d{4})-(\\d\\d)", r"\\2/\\g<y>", "2024-05 und 1999-12"), re.findall(r"\\w+", "naïve café"))`,
    "05/2024 und 12/1999 ['naïve', 'café']\n",
  ),
  "datetime, random with a seed, and hashlib": prints(
    `import datetime, random, hashlib
print(datetime.date(2024, 2, 28) + datetime.timedelta(days=2), random.Random(7).randint(0, 10**9))
print(hashlib.sha256(b"x").hexdigest()[:16], hashlib.blake2b(b"x").hexdigest()[:16])`,
    "2024-03-01 347712782\n2d711642b726b044 0909377ad35110ca\n",
  ),
  "what is random differs from run to run": async (env) => {
    const { runPython } = await import("./python-case.ts");
    const program = `import os, random, secrets, tempfile, uuid
print(os.urandom(8).hex(), random.random(), secrets.token_hex(8), uuid.uuid4(), next(tempfile._get_candidate_names()), uuid.getnode())`;
    const [one, two] = [await runPython(env, program), await runPython(env, program)];
    const [a, b] = [one.out.split(" "), two.out.split(" ")];
    if (a.length !== 6 || a.some((word, at) => word === b[at])) {
      throw new Error(`${one.out}${two.out}${one.err}`);
    }
  },
  "time: clocks go on, sleep sleeps, and strftime": prints(
    `import time
start = time.monotonic()
time.sleep(0.05)
took = time.monotonic() - start
print(0.045 < took < 2, time.time() > 1.6e9, time.strftime("%Y-%m-%d", time.gmtime(0)))`,
    "True True 1970-01-01\n",
  ),
  "files: text, bytes, seek, append, truncate": prints(
    `from pathlib import Path
p = Path("/a.txt")
p.write_text("eins\\nzwei\\n", encoding="utf-8")
with p.open("a") as f: f.write("drei\\n")
with p.open("r+b") as f:
    f.seek(5); f.write(b"ZWEI"); f.seek(0, 2); end = f.tell(); f.truncate(9)
print(p.read_bytes(), end, p.stat().st_size)`,
    "b'eins\\nZWEI' 15 9\n",
  ),
  "os.walk, rename, scandir and errors": prints(
    `import os
os.makedirs("/top/a/b"); open("/top/a/b/x", "w").close(); open("/top/y", "w").close()
print([(d, sorted(s), sorted(f)) for d, s, f in os.walk("/top")])
os.rename("/top/y", "/top/a/z")
print(sorted(e.name for e in os.scandir("/top/a")), os.path.isdir("/top/a/b"))
for act in (lambda: open("/none"), lambda: os.rmdir("/top/a"), lambda: os.mkdir("/top")):
    try: act()
    except OSError as e: print(type(e).__name__)`,
    "[('/top', ['a'], ['y']), ('/top/a', ['b'], []), ('/top/a/b', [], ['x'])]\n['b', 'z'] True\n" +
      "FileNotFoundError\nOSError\nFileExistsError\n",
  ),
  "tempfile and shutil": prints(
    `import os, shutil, tempfile
os.makedirs("/tmp", exist_ok=True)
with tempfile.TemporaryDirectory() as folder:
    with tempfile.NamedTemporaryFile("w+", dir=folder) as f:
        f.write("x"); f.flush(); print(os.listdir(folder) == [os.path.basename(f.name)])
    open(folder + "/one", "w").write("1")
    shutil.copytree(folder, "/copy")
print(os.path.exists(folder), open("/copy/one").read())
shutil.rmtree("/copy"); print(os.path.exists("/copy"))`,
    "True\nFalse 1\nFalse\n",
  ),
  "zipfile with deflate, and import from a zip": prints(
    `import sys, zipfile
with zipfile.ZipFile("/lib.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("inside.py", "VALUE = 'from a zip'\\n" * 50)
with zipfile.ZipFile("/lib.zip") as z: print(z.testzip(), z.infolist()[0].compress_size < 100)
sys.path.insert(0, "/lib.zip")
import inside
print(inside.VALUE)`,
    "None True\nfrom a zip\n",
  ),
  "csv, collections, dataclasses, enum, itertools, functools": prints(
    `import collections, csv, dataclasses, enum, functools, io, itertools
rows = list(csv.DictReader(io.StringIO("a,b\\n1,2\\n3,4\\n")))
@dataclasses.dataclass(order=True)
class P:
    x: int
    y: int = 2
class C(enum.Enum):
    RED = 1
print(rows[1]["b"], P(1) < P(2), C["RED"], collections.Counter("abca").most_common(1))
print(functools.reduce(lambda a, b: a * b, itertools.islice(itertools.count(1), 10)))`,
    "4 True C.RED [('a', 2)]\n3628800\n",
  ),
  "pickle, copy, struct, base64": prints(
    `import base64, copy, pickle, struct
value = {"a": (1, 2.5, b"x", {3}), "n": None}
print(pickle.loads(pickle.dumps(value)) == value == copy.deepcopy(value), struct.pack("<Ih", 7, -1).hex(), base64.b64encode(b"hi"))`,
    "True 07000000ffff b'aGk='\n",
  ),
  "sqlite3 in memory and in a file": prints(
    `import sqlite3
with sqlite3.connect("/shop.db") as db:
    db.execute("create table t (name text, price real)")
    db.executemany("insert into t values (?, ?)", [("a", 1.5), ("b", 2.5)])
print(sqlite3.connect("/shop.db").execute("select sum(price), count(*) from t").fetchone())
print(sqlite3.connect(":memory:").execute("select upper('x')").fetchone())`,
    "(4.0, 2)\n('X',)\n",
  ),
  "zlib and gzip": prints(
    `import gzip, zlib
data = bytes(range(256)) * 400
print(zlib.decompress(zlib.compress(data)) == data, gzip.decompress(gzip.compress(data)) == data, zlib.crc32(b"a"))`,
    "True True 3904355907\n",
  ),
});

export const whole = pythonCases(
  {
    "bz2 and lzma": prints(
      `import bz2, lzma
data = b"abc" * 10000
print(bz2.decompress(bz2.compress(data)) == data, lzma.decompress(lzma.compress(data)) == data)
print(lzma.decompress(lzma.compress(data, format=lzma.FORMAT_ALONE)) == data)`,
      "True True\nTrue\n",
    ),
    "decimal in C, fractions, statistics": prints(
      `import _decimal, decimal, fractions, statistics
decimal.getcontext().prec = 40
print(decimal.Decimal(2).sqrt(), fractions.Fraction("0.125"), statistics.stdev([1, 2, 3, 4]))`,
      "1.414213562373095048801688724209698078570 1/8 1.2909944487358056\n",
    ),
    "unicodedata, codecs of East Asia, locale": prints(
      `import unicodedata
print(unicodedata.normalize("NFD", "é") == "e\\u0301", unicodedata.name("ß"), "日本".encode("shift_jis").hex(), "中".encode("gb18030").hex())`,
      "True LATIN SMALL LETTER SHARP S 93fa967b d6d0\n",
    ),
    "xml: ElementTree in C, minidom, expat": prints(
      `import xml.etree.ElementTree as E, xml.dom.minidom as M, _elementtree
tree = E.fromstring("<a x='1'>t<b/>é</a>")
print(E.tostring(tree, encoding="unicode"), M.parseString("<q><r/></q>").documentElement.tagName)`,
      '<a x="1">t<b />é</a> q\n',
    ),
    "zoneinfo with data": prints(
      `import datetime, zoneinfo
for zone in ("Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Kolkata"):
    print(datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo(zone)).isoformat())
print(len(zoneinfo.available_timezones()) > 400)`,
      "2024-07-01T00:00:00+02:00\n2024-07-01T00:00:00-03:00\n2024-07-01T00:00:00+05:30\nTrue\n",
    ),
    "asyncio: run, gather, timeouts, queues, stdin": prints(
      `import asyncio, time
async def work(n):
    await asyncio.sleep(0.05)
    return n
async def main():
    start = time.monotonic()
    got = await asyncio.gather(*(work(n) for n in range(20)))
    together = time.monotonic() - start < 0.9
    try:
        async with asyncio.timeout(0.02): await asyncio.sleep(60)
    except TimeoutError: print("timeout")
    queue = asyncio.Queue()
    async with asyncio.TaskGroup() as group:
        group.create_task(queue.put("x"))
        item = group.create_task(queue.get())
    return sum(got), together, item.result()
print(asyncio.run(main()), asyncio.run(asyncio.sleep(0, "again")))`,
      "timeout\n(190, True, 'x') again\n",
    ),
    "recursion to 900, and RecursionError instead of a crash": async (env) => {
      const { runPython } = await import("./python-case.ts");
      const { DEEP } = await import("./deep-program.ts");
      const { status, exitCode, out, err } = await runPython(env, DEEP);
      if (
        status !== "exited" ||
        exitCode !== 0 ||
        !out.endsWith("end\n") ||
        out.includes("no limit")
      ) {
        throw new Error(`${status} ${exitCode}\n${out}\n${err}`);
      }
    },
    "resources, pkgutil, inspect and help on the packed library": prints(
      `import contextlib, importlib.resources, inspect, io, json, pkgutil, pydoc, tzdata
names = {m.name for m in pkgutil.iter_modules()}
print("json" in names, "asyncio" in names, inspect.signature(json.dumps).parameters["indent"])
print(importlib.resources.files("tzdata").joinpath("zones").read_text().startswith("Africa/"))
print(json.__file__, pkgutil.get_data("tzdata", "zones")[:6])
text = io.StringIO()
with contextlib.redirect_stdout(text): help(json.dumps)
print("Serialize" in text.getvalue())`,
      "True True indent=None\nTrue\n/usr/lib/python311.zip/json/__init__.pyc b'Africa'\nTrue\n",
    ),
    "every module of the library can be imported, but for what needs an operating system": prints(
      `import importlib, pkgutil, sys
skipped = {"this", "antigravity", "__main__"}
failed = {}
for module in pkgutil.walk_packages(["/usr/lib/python311.zip"], onerror=lambda name: None):
    if skipped & set(module.name.split(".")) or module.name.startswith("_sysconfigdata"): continue
    try: importlib.import_module(module.name)
    except (AttributeError, ImportError): failed.setdefault(module.name.split(".")[0], []).append(module.name.split(".")[-1])
for name, modules in sorted(failed.items()): print(name, *sorted(modules))`,
      `asyncio windows_events windows_utils
concurrent process
dbm gnu ndbm
encodings mbcs oem
multiprocessing connection forkserver heap managers pool popen_fork popen_forkserver popen_spawn_posix popen_spawn_win32 queues resource_tracker shared_memory sharedctypes synchronize
ssl ssl
`,
    ),
    "what is in C, and what is left out": prints(
      `import sys
inside = "_asyncio _bisect _bz2 _csv _datetime _decimal _elementtree _heapq _json _lzma _pickle _random _sqlite3 _statistics _struct _zoneinfo array binascii math pyexpat unicodedata zlib"
print([name for name in inside.split() if name not in sys.builtin_module_names])
for name in "ctypes curses distutils ensurepip fcntl grp idlelib lib2to3 mmap pty pwd readline resource syslog termios tkinter turtle venv".split():
    try: __import__(name)
    except ModuleNotFoundError: continue
    print(name)
import hashlib, sqlite3
print(sqlite3.sqlite_version, *(hashlib.new(name).name for name in sorted(hashlib.algorithms_guaranteed)))
base = sqlite3.connect(":memory:")
base.execute("create virtual table t using fts5(a)"); base.execute("insert into t values ('one two')")
print(base.execute("select a, json_extract('[7]', '$[0]') from t where t match 'two'").fetchall())`,
      `[]
3.40.1 blake2b blake2s md5 sha1 sha224 sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512 shake_128 shake_256
[('one two', 7)]
`,
    ),
  },
  "the stock build has other modules",
);
