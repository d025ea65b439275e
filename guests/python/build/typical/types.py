# The methods of the built-in types, and what formats and compares them.
import sys

t = "Hello, w\u00f6rld"
for name in (
    "capitalize casefold lower upper swapcase title strip lstrip rstrip split rsplit splitlines isalnum isalpha isascii isdecimal "
    "isdigit isidentifier islower isnumeric isprintable isspace istitle isupper encode expandtabs"
).split():
    for value in ("a b", t, "Stra\u00dfe", "12", "\u65e5\u672c"):
        print(getattr(value, name)())
print(t.center(20, "*"), t.ljust(20), t.rjust(20), "42".zfill(5), t.count("l"), t.find("w"), t.rfind("l"), t.index("H"))
print(t.partition(", "), t.rpartition("l"), t.replace("l", "L", 2), t.startswith(("H", "x")), t.endswith("d"), t.join(["a", "b"]))
print(t.translate(str.maketrans("lo", "01", "H")), t.removeprefix("He"), t.removesuffix("ld"), t[::-1], t[2:5], t * 2, "w" in t)
print("{0:>10} {name!r:.3} {1[0]} {2.real}".format("x", [1], 3, name="nnnnn"), "%s %r %5.2f %x %-5d|%05d %e %c %%" % ("a", "b", 1.5, 255, 3, 42, 1e9, "c"))
print(f"{1234567.891:,.2f} {0.25:.1%} {12:#x} {12:#b} {12:o} {-5:+d} {1e-7} {1e22} {3.0} {float('nan')} {float('inf'):>8} {1 + 2j}")
print(repr("a'b\"\n\t\u00e9\x00"), ascii("\u00e9"), "\u00e9".encode("latin-1"), "\u00e9".encode("utf-16"), b"\xe9".decode("cp1252"), "x".encode("ascii", "ignore"))
for error in ("strict", "replace", "backslashreplace", "surrogateescape"):
    try:
        print(b"a\xff".decode("utf-8", error).encode("utf-8", "replace"))
    except UnicodeDecodeError as problem:
        print(problem)

b = b"Hello\x00\xff"
print(b.hex(), b.hex(":"), bytes.fromhex("00 ff"), b.find(b"l"), b.split(b"l"), b.replace(b"l", b"L"), b.strip(b"H"), b.upper(), b.startswith(b"H"))
print(list(b), b[1:3], b + b"x", b * 2, bytes(3), bytes([1, 2]), b.join([b"a", b"c"]), b.count(b"l"), b.decode("latin-1"), b.translate(None, b"l"), b"%d" % 3)
a = bytearray(b"abc")
a.append(100)
a.extend(b"ef")
a.insert(0, 65)
a.remove(98)
a[1:2] = b"xyz"
del a[0]
print(a, a.pop(), a.find(b"y"), a.decode(), a.hex(), bytes(a), a.copy(), a.reverse(), a)
view = memoryview(a)
print(view[1:2].tobytes(), view.tolist(), len(view), view.cast("B")[0], view.nbytes, view == b"x")
view.release()

n = [3, 1, 2]
n.append(5)
n.extend((7, 8))
n.insert(0, 9)
n.remove(1)
print(n.pop(), n.pop(0), n.index(2), n.count(3), n.copy(), sorted(n), n[::2], n[-1], n + [1], n * 2, 2 in n, n == [1], n < [9], min(n), max(n))
n.sort(reverse=True)
n.sort(key=lambda x: -x)
n.reverse()
n[1:1] = [4, 4]
del n[0], n[:1]
n += [1]
n *= 2
print(n, list(range(10, 0, -3)), range(5)[1:3], len(range(0, 9, 2)), 3 in range(5), list(reversed(range(3))), n.clear(), sum([0.1] * 3), [[]] * 2)

d = {"a": 1, "b": [2], 3: None, (1, 2): "t"}
d.update({"c": 4}, e=5)
d["f"] = d.pop("a")
del d["b"]
d |= {"g": 1}
print(d.get("z", 0), d.setdefault("h", []), d.popitem(), list(d.items()), d.keys() & {"c"}, d.values(), d | {"y": 2}, d.copy(), dict(zip("ab", (1, 2))), dict.fromkeys("ab", 0))
print({k: v for k, v in sorted(d.items(), key=str)}, d == {}, "c" in d, list(reversed(d)), {**d}, len(d), d.clear())

s, u = {1, 2, 3}, {3, 4}
s.add(5)
s.discard(9)
s.remove(1)
s.update([7])
print(s & u, s | u, s - u, s ^ u, s <= u, s.isdisjoint(u), s.issubset({2}), s.union([1]), s.intersection(u), s.difference(u), s.symmetric_difference(u), s.copy())
s &= {2, 3}
s |= {8}
s -= {8}
s ^= {1}
print(s, frozenset("ab"), frozenset("ab") == {"a", "b"}, {frozenset([1])}, s.pop(), len(s), set("aab"), s.clear())

i = 12345678901234567890
print(i * i, i // 7, i % 7, -i // 3, i**5, pow(3, 1000, 7), i >> 3, i << 70, i & 255, i | 1, i ^ 3, ~i, abs(-i), i.bit_length(), (5).bit_count(), hash(i), int(i / 3), -i, divmod(i, -9))
print((1024).to_bytes(4, "big"), int.from_bytes(b"\x01\x02", "little", signed=True), int("ff", 16), int("0b11", 0), int(3.9), int(" 42 "), 7 // 2, -7 // 2, 7 % -3, 2**-1, 10**25 % 97)
print(1.5.is_integer(), (0.1).as_integer_ratio(), 1.5.hex(), float.fromhex("0x1p3"), float("1e-3"), 7.5 // 2, 7.5 % 2, divmod(7.5, 2), round(2.5), round(1234.567, -2), round(1.005, 2), 2.0**0.5, -1.5, abs(-1.5), 1e308 * 10)
print((1 + 2j).conjugate(), abs(3 + 4j), complex("1+2j"), (1 + 2j) ** 2, (1j).imag, True + 1, not None, None is None, 1 < 2 < 3, 0.1 + 0.2 == 0.3, 3 == 3.0, "a" < "b")

for bad in (lambda: int("x"), lambda: [][1], lambda: {}["k"], lambda: None.x, lambda: 1 + "a", lambda: "a" + 1, lambda: len(3), lambda: nope, lambda: 1 / 0, lambda: [].pop(), lambda: "a".index("z"), lambda: (1).x(), lambda: int(), lambda: next(iter([])), lambda: print(1, foo=2), lambda: float("q"), lambda: {}.pop("a"), lambda: {[]: 1}, lambda: (lambda a: a)(), lambda: (lambda: 1)(2), lambda: "%d" % "a", lambda: chr(-1), lambda: 2**63 << -1, lambda: range(0, 1, 0), lambda: bytes([256]), lambda: __import__("nope"), lambda: exec("x ="), lambda: exec("  y"), lambda: exec("(")):
    try:
        print(bad())
    except Exception as error:
        print(type(error).__name__, error, error.args)
print(sys.getrecursionlimit(), sys.getsizeof([]), sys.maxsize, sys.platform, sys.byteorder, sys.version_info[:2], sys.modules.keys() >= {"sys"}, sys.exc_info())


def deep(n):
    return deep(n + 1)


try:
    deep(0)
except RecursionError as error:
    print(error)
