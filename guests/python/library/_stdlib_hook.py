# Finds the standard library in the interpreter's own memory: a hook for one entry of sys.path; runs before all else in the guest.
#
# Only what is built in can be imported here. Names with an underscore: this module stays in sys.modules.

import sys as _sys

import _frozen_importlib as _bootstrap
import _stdlib

ROOT = "/usr/lib/python311.zip"
_MODULE, _PACKAGE, _FILE = 0, 1, 2
_index = _stdlib.index()


def _entry(name):
    entry = _index.get(name)
    return None if entry is None or entry[3] == _FILE else entry


class Loader:
    """Loads modules of the packed library, and reads the files beside them."""

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        code = self.get_code(module.__spec__.name)
        _bootstrap._call_with_frames_removed(exec, code, module.__dict__)

    def get_code(self, name):
        entry = _entry(name)
        if entry is None:
            raise ImportError(f"no module {name!r} in {ROOT}", name=name)
        return _stdlib.code(*entry[:3])

    def get_source(self, name):
        if _entry(name) is None:
            raise ImportError(f"no module {name!r} in {ROOT}", name=name)
        return None

    def is_package(self, name):
        entry = _entry(name)
        if entry is None:
            raise ImportError(f"no module {name!r} in {ROOT}", name=name)
        return entry[3] == _PACKAGE

    def get_filename(self, name):
        path = name.replace(".", "/")
        return f"{ROOT}/{path}/__init__.pyc" if self.is_package(name) else f"{ROOT}/{path}.pyc"

    def get_data(self, path):
        prefix = ROOT + "/"
        entry = _index.get(path[len(prefix) :]) if path.startswith(prefix) else None
        if entry is None or entry[3] != _FILE:
            raise FileNotFoundError(2, "No such file or directory", path)
        return _stdlib.read(*entry[:3])

    def get_resource_reader(self, name):
        return Reader(self, name) if self.is_package(name) else None


class Reader:
    """What importlib.resources asks of a package."""

    def __init__(self, loader, package):
        self._loader = loader
        self._folder = package.replace(".", "/") + "/"

    def open_resource(self, name):
        import io

        return io.BytesIO(self._loader.get_data(f"{ROOT}/{self._folder}{name}"))

    def resource_path(self, name):
        raise FileNotFoundError(2, "The packed library has no files on disk", name)

    def is_resource(self, name):
        entry = _index.get(self._folder + name)
        return entry is not None and entry[3] == _FILE

    def contents(self):
        rest = len(self._folder)
        return [
            name[rest:]
            for name, entry in _index.items()
            if entry[3] == _FILE and name.startswith(self._folder) and "/" not in name[rest:]
        ]


class Finder:
    """The finder of the entry ROOT, and of its packages' folders."""

    def __init__(self, path):
        if path != ROOT and not path.startswith(ROOT + "/"):
            raise ImportError("not the packed library", path=path)
        self._prefix = path[len(ROOT) + 1 :].replace("/", ".") + "." if path != ROOT else ""

    def find_spec(self, name, target=None):
        full = self._prefix + name.rpartition(".")[2]
        entry = _entry(full)
        if entry is None:
            return None
        spec = _bootstrap.ModuleSpec(name, _loader, origin=_loader.get_filename(full))
        spec.has_location = True
        spec.cached = None
        if entry[3] == _PACKAGE:
            spec.submodule_search_locations = [f"{ROOT}/{full.replace('.', '/')}"]
        return spec

    def invalidate_caches(self):
        pass

    def iter_modules(self, prefix=""):
        """For pkgutil."""
        start = len(self._prefix)
        for name, entry in _index.items():
            if entry[3] != _FILE and name.startswith(self._prefix) and "." not in name[start:]:
                yield prefix + name[start:], entry[3] == _PACKAGE


_loader = Loader()
_sys.path_hooks.append(Finder)
