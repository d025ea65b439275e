// What a program can set in an interpreter, and the next run must not find; page and Node.

import { assert } from "chai";
import { pythonCases, runPython, type PythonCase } from "./python-case.ts";

/** By what is set: statements that set it, and an expression that shows it. */
const SETTINGS: Readonly<Record<string, readonly [string, string]>> = {
  "standard input": ["sys.stdin.readline()", "sys.stdin.read()"],
  "standard streams": [
    "sys.stdout.reconfigure(errors='ignore'); sys.stderr = sys.stdout",
    "(sys.stdout.errors, sys.stderr is sys.__stderr__)",
  ],
  "signal handlers": ["signal.signal(2, signal.SIG_IGN)", "signal.getsignal(2)"],
  atexit: ["atexit.register(print, 'at exit')", "atexit._ncallbacks()"],
  "event loop": [
    "loop = asyncio.new_event_loop(); asyncio.set_event_loop(loop); loop.call_soon(print, 'late')",
    "asyncio.get_event_loop_policy()._local._loop",
  ],
  "tasks that wait": [
    "task = loop.create_task(asyncio.sleep(9)); task._log_destroy_pending = False",
    "len(asyncio.tasks._all_tasks)",
  ],
  "warnings' filters": ["warnings.simplefilter('ignore')", "warnings.filters"],
  "recursion limit": ["sys.setrecursionlimit(700)", "sys.getrecursionlimit()"],
  locale: ["locale.setlocale(locale.LC_ALL, 'C')", "locale.setlocale(locale.LC_ALL)"],
  environment: [
    "os.environ['LEFT'] = '1'; os.putenv('LEFT', '2')",
    "(sorted(os.environ), os.getenv('LEFT'))",
  ],
  "working folder": ["os.mkdir('/tmp'); os.chdir('/tmp')", "os.getcwd()"],
  "temporary files": [
    "tempfile.mkstemp(); tempfile.NamedTemporaryFile(delete=False)",
    "(tempfile.tempdir, len(os.listdir('/tmp')) if os.path.isdir('/tmp') else 0)",
  ],
  decimal: [
    "decimal.getcontext().prec = 3; decimal.DefaultContext.prec = 4; decimal.getcontext().traps[decimal.Inexact] = True",
    "(repr(decimal.getcontext()), decimal.Context().prec)",
  ],
  "garbage collection": [
    "gc.set_threshold(1000, 2, 3); gc.disable(); gc.callbacks.append(lambda *_: None)",
    "(gc.get_threshold(), gc.isenabled(), len(gc.callbacks))",
  ],
  "trace functions": [
    "threading.settrace(lambda *_: None); sys.setprofile(lambda *_: None)",
    "(threading._trace_hook, sys.getprofile())",
  ],
  "switch interval, digits of an int": [
    "sys.setswitchinterval(0.5); sys.set_int_max_str_digits(9999)",
    "(sys.getswitchinterval(), sys.get_int_max_str_digits())",
  ],
  hooks: [
    "sys.excepthook = sys.__excepthook__ = sys.displayhook = sys.unraisablehook = print",
    "(sys.excepthook, sys.__excepthook__, sys.displayhook, sys.unraisablehook)",
  ],
  "finders of modules": [
    "sys.meta_path.append(sys); sys.path_hooks.append(print); sys.dont_write_bytecode = True",
    "(len(sys.meta_path), len(sys.path_hooks), sys.dont_write_bytecode)",
  ],
  codecs: [
    "codecs.register(lambda name: codecs.lookup('ascii') if name == 'left' else None)",
    "error_of(lambda: codecs.lookup('left'))",
  ],
  "error handlers": [
    "codecs.register_error('left', lambda error: ('', error.end))",
    "error_of(lambda: codecs.lookup_error('left'))",
  ],
  "pickle and csv": [
    "copyreg.pickle(os.PathLike, print); csv.field_size_limit(9); csv.register_dialect('left')",
    "(len(copyreg.dispatch_table), csv.field_size_limit(), csv.list_dialects())",
  ],
  logging: [
    "logging.basicConfig(level=10); logging.getLogger('left')",
    "(logging.root.level, len(logging.root.handlers), sorted(logging.root.manager.loggerDict))",
  ],
  "namespaces and types of files": [
    "ElementTree.register_namespace('left', 'urn:left'); mimetypes.add_type('text/left', '.left')",
    "(len(ElementTree._namespace_map), mimetypes.guess_type('a.left'))",
  ],
  "sqlite3's adapters": [
    "sqlite3.register_adapter(complex, str)",
    "len(sqlite3.dbapi2.adapters if hasattr(sqlite3.dbapi2, 'adapters') else sqlite3.adapters)",
  ],
  "zones' path": ["zoneinfo.reset_tzpath(['/left'])", "zoneinfo.TZPATH"],
  "context variables": ["contextvars.ContextVar('left').set(1)", "len(contextvars.copy_context())"],
  "caches of re and linecache": [
    "re.compile('left+'); linecache.cache['left'] = (1, None, [], 'left')",
    "(any('left+' in map(str, key) for key in re._cache), 'left' in linecache.cache)",
  ],
  "classes and modules, patched": [
    "json.JSONEncoder.left = 1; Left = type('Left', (json.JSONDecoder,), {}); os.left = 1",
    "(hasattr(json.JSONEncoder, 'left'), len(json.JSONDecoder.__subclasses__()), hasattr(os, 'left'))",
  ],
  "the thread's name": [
    "threading.current_thread().name = 'left'",
    "threading.current_thread().name",
  ],
};

const LOOK = `${[
  "import asyncio, atexit, codecs, contextvars, copyreg, csv, decimal, gc, json, linecache, locale, logging, mimetypes",
  "import os, re, signal, sqlite3, sys, tempfile, threading, time, warnings, zoneinfo",
].join("\n")}
from xml.etree import ElementTree
def error_of(call):
    try: call()
    except Exception as error: return type(error).__name__
settings = json.loads(r'''${JSON.stringify(SETTINGS)}''')
if "leave" in sys.argv:
    for setting, _ in settings.values(): exec(setting)
shown = {name: repr(eval(look)) for name, (_, look) in settings.items()}
print(json.dumps(shown))`;

export const settings: readonly PythonCase[] = pythonCases({
  "settings of the interpreter and its modules": async (env) => {
    const shown = async (args: readonly string[]): Promise<Record<string, string>> => {
      const options = { stdin: args.length > 0 ? "one\ntwo\n" : "" };
      const { out, err } = await runPython(env, ["-c", LOOK, ...args], options);
      if (!out.startsWith("{")) throw new Error(out + err);
      const [line, ...rest] = out.trimEnd().split("\n");
      assert.deepEqual(rest, args.length > 0 ? ["at exit"] : [], err);
      return JSON.parse(line!) as Record<string, string>;
    };
    const before = await shown([]);
    const changed = await shown(["leave"]);
    // Each was set, or its line could not fail.
    for (const name of Object.keys(SETTINGS)) assert.notEqual(changed[name], before[name], name);
    assert.deepEqual(await shown([]), before);
  },
}).map((entry) => ({
  ...entry,
  skip: (build: string) =>
    build === "snapshot" || build === "shipped" ? undefined : "its runs begin with an interpreter",
}));
