# Classes, generators, closures, contexts, threads of asyncio, and the modules that people import first.
import abc, argparse, array, bisect, calendar, collections, configparser, contextlib, copy, csv, dataclasses, datetime, difflib, enum, fnmatch
import functools, glob, gzip, hashlib, heapq, hmac, html, inspect, io, itertools, json, logging, math, operator, os, pathlib, pickle, pprint
import queue, random, re, secrets, shutil, statistics, string, struct, tempfile, textwrap, time, types, typing, unittest, urllib.parse, uuid, warnings
import weakref, zipfile, zlib, binascii, codecs, locale, platform, gc, ast, dis, numbers, decimal, fractions, timeit, threading, asyncio


class Shape(abc.ABC):
    count: int = 0
    __slots__ = ("name", "__weakref__")

    def __init__(self, name):
        self.name = name
        Shape.count += 1

    @abc.abstractmethod
    def area(self): ...

    def __lt__(self, other):
        return self.area() < other.area()

    def __repr__(self):
        return f"{type(self).__name__}({self.name})"


class Square(Shape):
    def __init__(self, side):
        super().__init__("square")
        self.side = side

    def area(self):
        return self.side**2

    def __add__(self, other): return Square(self.side + other.side)
    def __radd__(self, other): return self
    def __iadd__(self, other): self.side += other; return self
    def __eq__(self, other): return isinstance(other, Square) and self.side == other.side
    def __hash__(self): return hash(self.side)
    def __bool__(self): return self.side > 0
    def __len__(self): return self.side
    def __getitem__(self, key): return (self.side, key)
    def __setitem__(self, key, value): self.side = value
    def __delitem__(self, key): self.side = 0
    def __contains__(self, item): return item == self.side
    def __iter__(self): yield from range(self.side)
    def __call__(self, *args, **kwargs): return args, kwargs
    def __enter__(self): return self
    def __exit__(self, *error): return error[0] is KeyError
    def __getattr__(self, name): return name if name.startswith("x") else object.__getattribute__(self, name)
    def __format__(self, spec): return f"<{spec}>"
    def __str__(self): return "sq"
    def __neg__(self): return self
    def __int__(self): return self.side
    def __index__(self): return self.side
    def __del__(self): pass


a, b = Square(2), Square(3)
a += 1
a[0] = 4
print(a + b, sum([a, b]), a == b, a < b, sorted([b, a]), len(a), a[1], 3 in a, list(a), a(1, *[2], k=3, **{"z": 1}), a.xy, f"{a:spec} {a} {a!r}", bool(a), -a, int(a), [1, 2, 3, 4, 5][a], max(a, b), hash(a), {a: 1}, weakref.ref(a)().name, copy.copy(a).side, isinstance(a, Shape), issubclass(Square, Shape), vars(b), dir(a)[:2], getattr(a, "side"), hasattr(a, "q"), setattr(a, "side", 1), Square.__mro__)
del a[0], b.side
with Square(1) as c, contextlib.suppress(ValueError), contextlib.ExitStack() as stack:
    stack.callback(print, "left")
    raise KeyError("swallowed")


def outer():
    total = 0

    def add(n, *rest, scale=1, **more):
        nonlocal total
        total += n * scale + sum(rest)
        return total

    return add


add = outer()
print(add(1), add(2, 3, scale=4), functools.partial(add, 1)(), list(map(lambda x: x * 2, filter(None, [0, 1]))), [*range(3), *"ab"], (first := 5), first)


def generate():
    try:
        got = yield 1
        print("got", got)
        yield from (x for x in "ab")
    except GeneratorExit:
        raise
    finally:
        print("closed")


g = generate()
print(next(g), g.send("x"), next(g))
g.close()
try:
    try:
        raise ExceptionGroup("group", [ValueError(1), TypeError(2)])
    except* ValueError as group:
        print(group.exceptions)
except ExceptionGroup as rest:
    print(rest)
try:
    assert 1 == 2, "message"
except AssertionError as error:
    error.add_note("note")
    print(error, error.__notes__, error.__traceback__.tb_lineno)
else:
    print("no")
finally:
    print("done")
while True:
    for i, (x, y) in enumerate(zip([1, 2], [3, 4]), start=1):
        if i == 2: break
        continue
    else:
        pass
    break
match [1, {"a": "x"}, Square(2)]:
    case [int(n), {"a": str(s), **more}, Square(side=2) | None] if n: print(n, s, more)
    case _: print("other")
global_name = 1
exec("def f(): global global_name; global_name += 1\nf()")
print(global_name, eval("[i for i in range(3) if i]"), compile("1", "x", "eval"), ast.dump(ast.parse("a+1")), ast.literal_eval("{'a': [1, (2,)]}"))


class Color(enum.Enum):
    RED = enum.auto()
    BLUE = "b"


class Flag(enum.IntFlag):
    A = 1
    B = 2


@dataclasses.dataclass(order=True, frozen=True)
class Point:
    x: int
    y: float = 0.0
    tags: list = dataclasses.field(default_factory=list, compare=False)


P = collections.namedtuple("P", "x y")
print(Color.RED, Color("b"), Color["RED"].value, list(Color), Flag.A | Flag.B, Point(1, 2), Point(1) < Point(2), dataclasses.asdict(Point(1)), dataclasses.replace(Point(1), y=3), P(1, 2)._replace(x=5), P(1, 2).x)
print(collections.OrderedDict(a=1), collections.ChainMap({}, {"a": 1})["a"], collections.Counter("abca") + collections.Counter("a"), collections.deque(range(5), 3), heapq.nlargest(2, [1, 5, 3]), heapq.heapify(q := [3, 1]), heapq.heappop(q), bisect.bisect([1, 3], 2), array.array("d", [1, 2]).tolist())
print(list(itertools.accumulate([1, 2, 3])), list(itertools.combinations("abc", 2)), list(itertools.islice(itertools.count(), 3)), list(itertools.zip_longest("ab", "c")), list(itertools.chain.from_iterable([[1], [2]])), list(itertools.takewhile(bool, [1, 0])), list(itertools.starmap(pow, [(2, 3)])), list(itertools.pairwise("abc")), next(itertools.cycle("a")), list(itertools.repeat(1, 2)), [(k, list(v)) for k, v in itertools.groupby("aab")])
print(functools.reduce(operator.mul, [1, 2, 3]), operator.itemgetter(1, 0)([1, 2]), operator.attrgetter("x")(P(1, 2)), functools.cmp_to_key(lambda x, y: x - y)(1) < functools.cmp_to_key(lambda x, y: x - y)(2))
print(json.dumps({"a": [1, 2.5, None, True, "\u00e9\n"], "b": {"c": {}}, "d": []}, indent=2), json.loads('[1, -2.5e10, "\\u00e9\\ud83d\\ude00", {"a": null, "b": [true, false]}]'), json.dumps("\u00e9", ensure_ascii=False), json.dumps(Point(1), default=dataclasses.asdict))
try:
    json.loads('{"a": }')
except json.JSONDecodeError as error:
    print(error)
print(re.match(r"(?P<y>\d{4})-(?P<m>\d\d)", "2024-05").groupdict(), re.split(r"[,;]\s*", "a, b;c"), re.sub(r"(\w)(\d)?", r"\2\1", "a1b"), re.compile("^x.*?y$", re.I | re.M | re.S).search("A\nxby").span(), [m.group() for m in re.finditer(r"\b\w+(?=!)", "a! b c!")], re.fullmatch("a|b", "b"), re.escape("a.b"), re.findall(r"(?<!a)b", "ab b"), re.sub("\u00e9", "e", "caf\u00e9", flags=re.I))
now = datetime.datetime(2024, 2, 29, 13, 5, 9, 123456, tzinfo=datetime.timezone.utc)
print(now, now.isoformat(), now.strftime("%Y-%m-%d %H:%M:%S %j %a %B"), datetime.datetime.strptime("2024-01-02 03:04", "%Y-%m-%d %H:%M"), now + datetime.timedelta(days=1, hours=2), now - now, now.astimezone(datetime.timezone(datetime.timedelta(hours=2))), now.timestamp(), now.date().weekday(), datetime.date.today() > datetime.date(2000, 1, 1), now.replace(year=2028), datetime.timedelta(minutes=90) / 2, datetime.datetime.fromisoformat("2024-01-02T03:04:05+02:00"), datetime.time(1, 2), calendar.monthrange(2024, 2), calendar.month(2024, 2), datetime.datetime.utcfromtimestamp(0), datetime.datetime.fromtimestamp(1e9))
random.seed("x")
x = [1, 2, 3]
random.shuffle(x)
print(x, random.randint(1, 6), random.uniform(1, 2), random.choices("ab", weights=[1, 2], k=3), random.randrange(10), random.getrandbits(70), random.normalvariate(0, 1), len(secrets.token_hex(4)), uuid.uuid4().version)
print([getattr(math, f)(0.5) for f in "sin cos tan asin acos atan exp log log2 log10 sqrt floor ceil trunc fabs gamma erf sinh radians degrees isnan isinf expm1".split()], math.gcd(12, 18), math.lcm(4, 6), math.factorial(20), math.comb(5, 2), math.perm(5), math.prod([1, 2]), math.hypot(3, 4), math.atan2(1, 2), math.fsum([0.1] * 10), math.isclose(1, 1), math.modf(1.5), math.frexp(8), math.pow(2, 3), math.fmod(5, 3), math.copysign(1, -1), math.dist([0], [1]), math.isqrt(10), math.pi)
print(statistics.median([1, 2, 3, 4]), statistics.pstdev([1, 2]), statistics.mode("aab"), statistics.quantiles(range(10)), decimal.Decimal("0.1") * 3, decimal.Decimal(2).sqrt(), round(decimal.Decimal("1.005"), 2), fractions.Fraction("1/3") + 1)
print([hashlib.new(h, b"x").hexdigest()[:6] for h in ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b")], hmac.new(b"k", b"m", "sha256").hexdigest()[:6], zlib.decompress(zlib.compress(b"a" * 50)), gzip.decompress(gzip.compress(b"b")), binascii.hexlify(b"ab"), struct.unpack("<Ifh", struct.pack("<Ifh", 1, 2.5, 3)), codecs.encode("a", "rot13"), pickle.loads(pickle.dumps({"a": [1, (2,), P]})), html.escape("<a>"), urllib.parse.urlparse("https://a.b/c?d=e#f"), urllib.parse.quote("\u00e4 b"), urllib.parse.parse_qs("a=1&a=2"))
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "sub").mkdir(parents=True, exist_ok=True)
(folder / "sub" / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
with open(folder / "b.bin", "wb+") as file:
    file.write(b"x" * 9000)
    file.seek(0)
    print(file.read(3), file.tell(), file.readline()[:2], file.truncate(10))
with open(folder / "sub" / "a.txt", "a+", encoding="utf-8") as file:
    file.writelines(["three\n"])
    file.seek(0)
    print(file.readlines(), file.name[-5:])
shutil.copy(folder / "b.bin", folder / "c.bin")
os.rename(folder / "c.bin", folder / "d.bin")
print(sorted(p.name for p in folder.rglob("*")), glob.glob(str(folder / "*.bin"))[0][-3:], [(len(d), sorted(f)) for _, d, f in os.walk(folder)], os.path.getsize(folder / "b.bin"), os.path.splitext("a.tar.gz"), os.path.join("a", "b"), os.getcwd(), os.stat(folder).st_mode, [e.is_file() for e in os.scandir(folder)], pathlib.PurePath("a/b").suffix, folder.exists(), os.environ.get("HOME"), os.sep)
try:
    open("/absent")
except FileNotFoundError as error:
    print(error, error.errno)
with zipfile.ZipFile(buffer := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("a.txt", "text")
print(zipfile.ZipFile(buffer).read("a.txt"), zipfile.ZipFile(buffer).namelist())
shutil.rmtree(folder)
os.makedirs("/tmp/made/by", exist_ok=True)
rows = io.StringIO()
writer = csv.DictWriter(rows, ["a", "b"])
writer.writeheader()
writer.writerow({"a": 1, "b": 'x,"y"'})
print(rows.getvalue(), list(csv.reader(io.StringIO(rows.getvalue()))), textwrap.fill("word " * 30, 40), textwrap.dedent("  a\n  b"), string.Template("$a").substitute(a=1), pprint.pformat({"a": list(range(30))}), difflib.unified_diff(["a"], ["b"]), fnmatch.filter(["a.py"], "*.py"))
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
logging.info("hello %s", "you")
logging.getLogger("x").warning("warned")
warnings.warn("careful")
parser = argparse.ArgumentParser(prog="p")
parser.add_argument("--n", type=int, default=3)
print(parser.parse_args(["--n", "4"]), inspect.signature(add), typing.get_type_hints(Point), types.SimpleNamespace(a=1), platform.system(), time.strftime("%Y", time.gmtime(0)), time.localtime(0).tm_year, time.monotonic() > 0, time.perf_counter() > 0, time.time() > 0, gc.collect() >= 0, timeit.timeit("1", number=1) >= 0, threading.current_thread().name, queue.Queue().empty())


class Test(unittest.TestCase):
    def test_it(self):
        self.assertEqual(1, 1)
        with self.assertRaises(ValueError):
            int("x")


unittest.main(argv=["x"], exit=False, verbosity=2)


async def worker(n, queue):
    async with lock:
        await asyncio.sleep(0)
    await queue.put(n)
    return n


async def stream():
    for i in range(2):
        yield i


class Manager:
    async def __aenter__(self): return self
    async def __aexit__(self, *error): pass


async def main():
    global lock
    lock = asyncio.Lock()
    queue = asyncio.Queue()
    print(await asyncio.gather(*(worker(n, queue) for n in range(3))), [i async for i in stream()])
    task = asyncio.create_task(asyncio.sleep(10))
    async with Manager(), asyncio.TaskGroup() as group:
        group.create_task(worker(9, queue))
    try:
        async with asyncio.timeout(0.001):
            await task
    except TimeoutError:
        print("late", task.cancelled())
    done, _ = await asyncio.wait([asyncio.create_task(worker(5, queue))])
    event = asyncio.Event()
    asyncio.get_running_loop().call_later(0.001, event.set)
    await event.wait()
    print(len(done), queue.qsize())


asyncio.run(main())
help(len)
print(open, print, len, type, object(), lambda: 0, Ellipsis, NotImplemented, b"", 1 .__class__, [].append, "".join, main, Test, json)
