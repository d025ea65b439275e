# The folder of wheels: every pure-Python wheel in /packages is importable, and one with native code says why it is not.

import os
import sys

FOLDER = "/packages"


def install(folder=None):
    """Puts the folder and its wheels at the end of sys.path."""
    folder = folder or FOLDER
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    native = []
    sys.path.append(folder)
    for name in names:
        if not name.endswith(".whl"):
            continue
        path = f"{folder}/{name}"
        if _is_pure(name):
            sys.path.append(path)
        else:
            native.append(path)
    if native:
        sys.meta_path.append(_NativeWheels(native))


def _is_pure(name):
    """By the platform tag: the part after the last dash."""
    return "any" in name[: -len(".whl")].rpartition("-")[2].split(".")


class _NativeWheels:
    """Comes last: a module that nobody found and that lies in such a wheel gets an error that says so."""

    def __init__(self, paths):
        self._paths = paths
        self._modules = None

    def find_spec(self, name, path=None, target=None):
        if path is not None:
            return None
        if self._modules is None:
            self._modules = {}  # what reading the wheels imports comes by here too
            self._modules.update(
                (module, wheel) for wheel in self._paths for module in _top_modules(wheel)
            )
        wheel = self._modules.get(name)
        if wheel is None:
            return None
        raise ImportError(
            f"{name} comes from {wheel}, a wheel with native code for another platform; only wheels whose names end "
            "in -none-any.whl hold Python alone and can be imported here",
            name=name,
            path=wheel,
        )


def _top_modules(wheel):
    import zipfile

    try:
        with zipfile.ZipFile(wheel) as archive:
            tops = {entry.partition("/")[0] for entry in archive.namelist()}
    except (OSError, zipfile.BadZipFile):
        return set()
    return {top.partition(".")[0] for top in tops if not top.endswith((".dist-info", ".data"))}
