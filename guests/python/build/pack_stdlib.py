# Packs the standard library as bytecode for stdlib.c: a digest, an index and the files that it names; runs at build time.
#
# python3.11 pack_stdlib.py OUT STORED LIB [EXTRA ...]

import _imp
import hashlib
import json
import marshal
import os
import sys
import zlib

out, packing, lib, *extras = sys.argv[1:]
level = {"stored": None, "deflated": 9}[packing]
ROOT = "/usr/lib/python311.zip"
MODULE, PACKAGE, FILE = 0, 1, 2

# Nothing of these can work in a guest (no window, no process, no shared library, no network), or is for building Python.
SKIPPED_FOLDERS = {
    "__pycache__", "config-3", "ctypes", "curses", "distutils", "ensurepip", "idlelib", "idle_test", "lib2to3", "msilib",
    "multiprocessing/dummy", "pydoc_data", "site-packages", "test", "tests", "tkinter", "turtledemo", "venv",
}
SKIPPED_FILES = {
    "antigravity.py", "pty.py", "tty.py", "turtle.py", "_aix_support.py", "_bootsubprocess.py", "_osx_support.py",
    "_collections_abc_test.py", "__phello__.foo.py", "this.pyc",
}

#: Changes to the library's own text, each found exactly once or the build stops.
PATCHES = {
    # WASI has no socket pairs, and no other thread or signal that would have to wake the loop.
    "asyncio/selector_events.py": [
        (
            "        self._ssock, self._csock = socket.socketpair()\n",
            "        self._ssock = self._csock = None\n        return\n",
        ),
        (
            "        self._remove_reader(self._ssock.fileno())\n",
            "        if self._ssock is None:\n            return\n        self._remove_reader(self._ssock.fileno())\n",
        ),
    ],
    "asyncio/unix_events.py": [
        (
            "        self._check_signal(sig)\n        self._check_closed()\n        try:\n            # set_wakeup_fd",
            "        raise NotImplementedError('there are no signals in a guest')\n        try:\n            # set_wakeup_fd",
        ),
    ],
}

index = {}
chunks = []
places = {}
total = 0


def add(name, data, kind):
    global total
    place = places.get(data)
    if place is None:
        packed = data if level is None else zlib.compress(data, level)
        if len(packed) >= len(data):
            packed = data
        place = places[data] = (total, len(packed), len(data))
        chunks.append(packed)
        total += len(packed)
    index[name] = (*place, kind)


def add_module(name, path, shown, package):
    with open(path, "rb") as file:
        source = file.read()
    for old, new in PATCHES.get(shown, []):
        if source.count(old.encode()) != 1:
            raise SystemExit(f"{shown} is not what the patch was made for")
        source = source.replace(old.encode(), new.encode())
    code = compile(source, f"{ROOT}/{shown}", "exec", dont_inherit=True, optimize=0)
    add(name, marshal.dumps(code), PACKAGE if package else MODULE)


def add_host_half(path):
    """What `host` is where the page mounts it, by path: a hash of its text, and its code."""
    with open(path, encoding="utf-8") as file:
        sources = json.load(file)
    compiled = {
        shown: (_imp.source_hash(0, source.encode()), marshal.dumps(compile(source, shown, "exec", dont_inherit=True)))
        for shown, source in sorted(sources.items())
    }
    code = compile(f"COMPILED = {compiled!r}\n", f"{ROOT}/_host_half.py", "exec", dont_inherit=True)
    add("_host_half", marshal.dumps(code), MODULE)


def add_tree(folder):
    for current, folders, files in os.walk(folder):
        inner = os.path.relpath(current, folder).replace(os.sep, "/")
        inner = "" if inner == "." else inner + "/"
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS and inner + f not in SKIPPED_FOLDERS)
        for name in sorted(files):
            if not name.endswith(".py") or name in SKIPPED_FILES:
                continue
            shown = inner + name
            module = shown[:-3].replace("/", ".")
            package = name == "__init__.py"
            if package:
                module = module[: -len(".__init__")]
            add_module(module, os.path.join(current, name), shown, package)


def add_time_zones(folder):
    """The package tzdata, where zoneinfo looks: only the zones of the IANA names."""
    add("tzdata", marshal.dumps(compile("", f"{ROOT}/tzdata/__init__.py", "exec")), PACKAGE)
    zones = []
    packages = {"tzdata/zoneinfo"}
    for current, folders, files in os.walk(folder):
        inner = os.path.relpath(current, folder).replace(os.sep, "/")
        folders[:] = sorted(f for f in folders if inner != "." or f not in ("posix", "right"))
        for name in sorted(files):
            key = name if inner == "." else f"{inner}/{name}"
            path = os.path.join(current, name)
            with open(path, "rb") as file:
                data = file.read()
            if not data.startswith(b"TZif") or key in ("localtime", "posixrules"):
                continue
            zones.append(key)
            packages.add(os.path.dirname(f"tzdata/zoneinfo/{key}"))
            add(f"tzdata/zoneinfo/{key}", data, FILE)
    for package in sorted(packages):
        parts = package.split("/")
        for length in range(2, len(parts) + 1):
            name = ".".join(parts[:length])
            if name not in index:
                add(name, marshal.dumps(compile("", f"{ROOT}/{name}", "exec")), PACKAGE)
    add("tzdata/zones", "\n".join(sorted(zones)).encode() + b"\n", FILE)


add_tree(lib)
for extra in extras:
    if extra.endswith(".json"):
        add_host_half(extra)
    elif os.path.isdir(os.path.join(extra, "Europe")):
        add_time_zones(extra)
    else:
        add_tree(extra)
head = marshal.dumps(index)
# A module that holds no more than the beginning knows by the digest whether a file is the rest of it.
digest = hashlib.sha256(head + b"".join(chunks)).digest()
with open(out, "wb") as file:
    file.write(len(head).to_bytes(4, "little"))
    file.write(digest)
    file.write(head)
    for chunk in chunks:
        file.write(chunk)
print(f"{len(index)} entries, {36 + len(head) + total} bytes")
