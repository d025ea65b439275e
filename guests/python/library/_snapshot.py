# The two halves of a snapshot: what is done once before it is taken, and a command line run after it was put back.

import atexit
import gc
import os
import sys

from _command_line import USAGE, CommandLine


def prepare(argv, _environment):
    """Imports the modules that are named, and leaves nothing behind that holds only for now."""
    import importlib

    # What a command line needs whichever it is.
    for name in ["linecache", "runpy", "tokenize", "traceback", "warnings", *argv[1:]]:
        importlib.import_module(name)
    sys.argv[:] = [""]
    os.environ._data.clear()
    sys.path_importer_cache.clear()
    gc.collect()
    gc.freeze()
    return 0


def run(argv, environment):
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
            status = _guarded(lambda: _execute(options))
    finally:
        status = _finish(status)
    return status


def _renew(environment, options):
    """Makes everything new that a run must not share with the one before, or with the making of the snapshot."""
    texts = dict(item.partition("=")[::2] for item in environment)
    _renew_environment(texts)
    _renew_randomness()
    own = texts if options.environment else {}
    if own.get("PYTHONUNBUFFERED"):
        options.unbuffered = True
    sys.dont_write_bytecode = not options.bytecode or bool(own.get("PYTHONDONTWRITEBYTECODE"))
    paths = [path for path in own.get("PYTHONPATH", "").split(":") if path]
    sys.path[:0] = paths
    sys.argv[:] = options.argv
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if options.unbuffered:
            stream = _unbuffered(stream, f"<{name}>")
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        stream.reconfigure(line_buffering=number == 2 or os.isatty(number))
    given = [item for item in own.get("PYTHONWARNINGS", "").split(",") if item] + options.warnings
    if given:
        import warnings

        sys.warnoptions[:] = given
        warnings._processoptions(given)
    from _wheels import install

    install()


def _unbuffered(stream, name):
    """The same stream without a buffer; the old one lets go of the descriptor."""
    import io

    encoding, errors = stream.encoding, stream.errors
    raw = stream.detach().detach()
    raw.name = name
    text = io.TextIOWrapper(raw, encoding, errors, newline="\n", write_through=True)
    text.mode = "w"
    return text


def _renew_environment(texts):
    def encode(text):
        return text.encode("utf-8", "surrogateescape")

    data = os.environ._data  # posix.environ is the same dict
    data.clear()
    data.update({encode(name): encode(value) for name, value in texts.items()})
    time = sys.modules.get("time")
    if time is not None and hasattr(time, "tzset") and "TZ" in texts:
        time.tzset()


def _renew_randomness():
    """The hash seed lies in every dict and cannot be renewed; everything else that is random can."""
    random = sys.modules.get("random")
    if random is not None:
        random.seed()
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile._name_sequence = None
        tempfile.tempdir = None
    uuid = sys.modules.get("uuid")
    if uuid is not None:
        uuid._node = uuid._last_timestamp = None


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


def _guarded(action):
    try:
        action()
    except SystemExit as error:
        return _exit_code(error)
    except BaseException as error:
        # Neither this module's frames nor runpy's are the guest's.
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in _OWN_FILES:
            trace = trace.tb_next
        error.__traceback__ = trace
        try:
            sys.excepthook(type(error), error, trace)
        except SystemExit as inner:
            return _exit_code(inner)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


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
