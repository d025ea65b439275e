# The two halves of a snapshot: what is done once before it is taken, and a command line run after it was put back.

import atexit
import gc
import linecache
import os
import sys
import traceback

from _command_line import USAGE, CommandLine


def prepare(modules):
    """Imports the modules that are named, and leaves nothing behind that holds only for now."""
    import importlib

    # What a command line needs whichever it is.
    for name in ["_wheels", "linecache", "runpy", "tokenize", "traceback", "warnings", *modules]:
        importlib.import_module(name)
    _rehearse()
    _know_host()
    _forget_randomness()
    sys.argv[:] = [""]
    os.environ._data.clear()
    sys.path_importer_cache.clear()
    gc.collect()
    gc.freeze()
    return 0


def _rehearse():
    """What an interpreter makes when it first compiles, prints and fails, so that no run has to."""
    import io

    space = {"__name__": "__rehearsal__", "__builtins__": __builtins__}
    text = """
import sys
class A:
    x: int = 1
    def f(self, *a, **k): return [i for i in a if i], {**k}, f"{self.x!r:>4}", lambda: k
def g():
    yield from (1, 2)
for i in g():
    with out: print(A().f(i, b=2), file=out, end="", flush=True)
    break
try: raise ValueError("x")
except ValueError as error: trace(type(error), error, error.__traceback__, file=out)
while (n := 0): continue
assert True
del i
"""
    class Out(io.StringIO):
        def close(self):
            pass

    space["out"] = Out()
    space["trace"] = traceback.print_exception
    options = CommandLine()
    options.read(["python", "-c", text])
    exec(compile(options.code, "<string>", "exec", dont_inherit=True), space)
    sys.stdout.flush()
    os.isatty(1)


def run(argv, environment, wheels):
    """CPython's command line; the exit code."""
    options = CommandLine()
    status = 0
    try:
        problem = options.read(argv)
        if problem is not None:
            print(problem, USAGE, sep="\n", file=sys.stderr)
            status = 2
        elif options.version:
            print("Python", sys.version.split()[0])
        else:
            _renew(environment, options)
            if wheels:
                from _wheels import install

                install()
            status = _guarded(options)
    finally:
        status = _finish(status)
    return status


def _renew(environment, options):
    """Makes everything new that a run must not share with the one before, or with the making of the snapshot."""
    # Each function that is called here for the first time is compiled by the host's engine first: few are used.
    if environment:
        _renew_environment(environment)
    own = os.environ._data if options.environment else {}
    if own.get(b"PYTHONUNBUFFERED"):
        options.unbuffered = True
    sys.dont_write_bytecode = not options.bytecode or bool(own.get(b"PYTHONDONTWRITEBYTECODE"))
    if b"PYTHONPATH" in own:
        sys.path[:0] = [path for path in os.environ["PYTHONPATH"].split(":") if path]
    sys.argv[:] = options.argv
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if options.unbuffered:
            stream = _unbuffered(stream, f"<{name}>")
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        wanted = number == 2 or os.isatty(number)
        if stream.line_buffering is not wanted:
            stream.reconfigure(line_buffering=wanted)
    given = options.warnings
    if b"PYTHONWARNINGS" in own:
        given = [item for item in os.environ["PYTHONWARNINGS"].split(",") if item] + given
    if given:
        import warnings

        sys.warnoptions[:] = given
        warnings._processoptions(given)


def _unbuffered(stream, name):
    """The same stream without a buffer; the old one lets go of the descriptor."""
    import io

    encoding, errors = stream.encoding, stream.errors
    raw = stream.detach().detach()
    raw.name = name
    text = io.TextIOWrapper(raw, encoding, errors, newline="\n", write_through=True)
    text.mode = "w"
    return text


def _renew_environment(environment):
    data = os.environ._data  # posix.environ is the same dict
    for item in environment:
        name, _, value = item.encode("utf-8", "surrogateescape").partition(b"=")
        data[name] = value
    time = sys.modules.get("time")
    if time is not None and hasattr(time, "tzset") and b"TZ" in data:
        time.tzset()


def _know_host():
    """The package host was compiled by the build, for all runs that find the same text where it is mounted."""
    import _imp
    import marshal
    from importlib.machinery import SourceFileLoader

    from _host_half import COMPILED

    compiled = SourceFileLoader.source_to_code

    def source_to_code(self, data, path, **options):
        digest, code = COMPILED.get(path, (None, None))
        if digest is not None and digest == _imp.source_hash(0, data):
            return marshal.loads(code)
        return compiled(self, data, path, **options)

    SourceFileLoader.source_to_code = source_to_code


def _forget_randomness():
    """Generators that the system has seeded seed themselves anew in each run; here is what was made with them."""
    for name, gone in (("tempfile", "_name_sequence"), ("tempfile", "tempdir"), ("uuid", "_node"), ("uuid", "_last_timestamp")):
        if name in sys.modules:
            setattr(sys.modules[name], gone, None)
    if "random" in sys.modules:
        sys.modules["random"]._inst.gauss_next = None


def _execute(options):
    main = sys.modules["__main__"]
    space = main.__dict__
    if options.module is not None:
        if not options.safe_path:
            sys.path.insert(0, os.getcwd())
        import runpy

        runpy._run_module_as_main(options.module)
        return
    if options.code is not None:
        if not options.safe_path:
            sys.path.insert(0, "")
        exec(compile(options.code, "<string>", "exec", dont_inherit=True), space)
        return
    if options.file is None:
        if not options.safe_path:
            sys.path.insert(0, "")
        exec(compile(sys.stdin.buffer.read(), "<stdin>", "exec", dont_inherit=True), space)
        return
    _execute_file(options, space)


def _execute_file(options, space):
    path = options.file
    import pkgutil

    if not os.path.isfile(path) or _is_archive(path):
        if type(pkgutil.get_importer(path)).__name__ in ("zipimporter", "FileFinder"):
            sys.path.insert(0, path)
            import runpy

            runpy._run_module_as_main("__main__", False)
            return
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        print(
            f"python: can't open file {os.path.abspath(path)!r}: [Errno {error.errno}] {error.strerror}",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
    if not options.safe_path:
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    space["__file__"] = path
    space["__cached__"] = None
    exec(compile(source, path, "exec", dont_inherit=True), space)


def _is_archive(path):
    with open(path, "rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _guarded(options):
    try:
        _execute(options)
    except SystemExit as error:
        return _exit_code(error)
    except BaseException as error:
        # Neither this module's frames nor runpy's are the guest's.
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in _OWN_FILES:
            trace = trace.tb_next
        error.__traceback__ = trace
        try:
            if options.code is None or not _shown_with_lines(error, options.code):
                sys.excepthook(type(error), error, trace)
        except SystemExit as inner:
            return _exit_code(inner)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _shown_with_lines(error, text):
    """Shows an error of `-c`, whose lines are in no file; False where that is for somebody else to do."""
    if sys.excepthook is not sys.__excepthook__:
        return False
    try:
        own = set()
        _codes_of(compile(text, "<string>", "exec", dont_inherit=True), own)
        linecache.cache["<string>"] = (len(text), None, text.splitlines(True), "<string>")
        shown = traceback.TracebackException(type(error), error, error.__traceback__, compact=True)
        _hide_others(shown, error, own)
        report = "".join(shown.format())
        sys.stderr.write(report)
        sys.stderr.flush()
        return True
    except Exception:
        return False
    finally:
        linecache.cache.pop("<string>", None)


def _codes_of(code, found):
    found.add(code)
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            _codes_of(constant, found)


def _hide_others(shown, error, own):
    """What exec() runs is called <string>, too, but has other lines."""
    for summary, (frame, _) in zip(shown.stack, traceback.walk_tb(error.__traceback__)):
        if summary.filename == "<string>" and frame.f_code not in own:
            summary._line = ""
    if shown.__cause__ is not None:
        _hide_others(shown.__cause__, error.__cause__, own)
    if shown.__context__ is not None:
        _hide_others(shown.__context__, error.__context__, own)
    for inner, one in zip(shown.exceptions or (), getattr(error, "exceptions", ())):
        _hide_others(inner, one, own)


def _exit_code(error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFFFFFFFF if code >= -(2**31) and code < 2**32 else 0xFFFFFFFF
    print(code, file=sys.stderr)
    return 1


def _finish(status):
    """What CPython does at its end, up to taking the interpreter apart."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException as error:
            if stream is sys.stdout:
                status = 120
                sys.unraisablehook(_Unraisable(error))
    return status


class _Unraisable:
    def __init__(self, error):
        self.exc_type, self.exc_value, self.exc_traceback = type(error), error, error.__traceback__
        self.err_msg, self.object = None, None


_OWN_FILES = frozenset((run.__code__.co_filename, "<frozen runpy>"))
