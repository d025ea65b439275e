// What is changed in CPython's own sources, each with its reason; a change whose place is not there stops the build. Built-ins only.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Levels of the evaluator inside each other. A browser's worker has a stack of about 1 MB: in Chromium it was overrun from
 * 500 levels on (a class whose __init__ makes another), which ends the guest instead of raising RecursionError. Functions
 * that call functions need no level each, and reach the recursion limit.
 */
const EVALUATOR_LEVELS = 350;

const stackScale = (file) => ({
  file,
  reason:
    "the compiler may use three levels of its own for one of Python's; a worker's stack has no room for that",
  from: "COMPILER_STACK_FRAME_SCALE 3",
  to: "COMPILER_STACK_FRAME_SCALE 1",
});

const renewed = (from, to) => ({
  file: "Modules/_randommodule.c",
  reason:
    "generators that the system seeded before a snapshot seed themselves anew in each run of it",
  from,
  to,
});

const sameEverywhere = (file, from, to) => ({
  file,
  reason:
    "the same sources make the same module, whenever and wherever, and it tells of nobody's folders",
  from,
  to,
});

export const PATCHES = [
  sameEverywhere(
    "Modules/getpath.c",
    '!decode_to_dict(dict, "VPATH", VPATH) ||',
    '!decode_to_dict(dict, "VPATH", "") ||',
  ),
  sameEverywhere(
    "Modules/getbuildinfo.c",
    "#ifndef DATE\n#ifdef __DATE__\n#define DATE __DATE__\n",
    '#ifndef DATE\n#ifdef __DATE__\n#define DATE "Feb  7 2023"\n',
  ),
  sameEverywhere(
    "Modules/getbuildinfo.c",
    "#ifdef __TIME__\n#define TIME __TIME__\n",
    '#ifdef __TIME__\n#define TIME "00:00:00"\n',
  ),
  {
    file: "Include/internal/pycore_ceval.h",
    reason: "the evaluator inside itself uses the host's stack, whose end no guest can see",
    from: `    if (tstate->interp->eval_frame == NULL) {
        return _PyEval_EvalFrameDefault(tstate, frame, throwflag);
    }
    return tstate->interp->eval_frame(tstate, frame, throwflag);
`,
    to: `    extern int _PyEval_Levels;
    if (_PyEval_Levels >= ${EVALUATOR_LEVELS}) {
        PyErr_SetString(PyExc_RecursionError, "maximum depth of nested calls exceeded");
        return NULL;
    }
    _PyEval_Levels++;
    PyObject *result = tstate->interp->eval_frame == NULL
        ? _PyEval_EvalFrameDefault(tstate, frame, throwflag)
        : tstate->interp->eval_frame(tstate, frame, throwflag);
    _PyEval_Levels--;
    return result;
`,
  },
  {
    file: "Python/ceval.c",
    reason: "the count of those levels",
    from: "PyObject* _Py_HOT_FUNCTION\n_PyEval_EvalFrameDefault(",
    to: "int _PyEval_Levels = 0;\nint _Py_SnapshotRun = 0;\n\nPyObject* _Py_HOT_FUNCTION\n_PyEval_EvalFrameDefault(",
  },
  renewed(
    "typedef struct {\n    PyObject_HEAD\n    int index;",
    "/* 1 in a run that starts from a snapshot; source/main.c sets it. */\nextern int _Py_SnapshotRun;\n\n" +
      "typedef struct {\n    PyObject_HEAD\n    int seeded_by; /* 0 and 1: by the system, in that state of _Py_SnapshotRun; 2: by the program */\n    int index;",
  ),
  renewed(
    "static uint32_t\ngenrand_uint32(RandomObject *self)\n{",
    "static int random_seed(RandomObject *self, PyObject *arg);\n\n" +
      "static void\nrandom_renew(RandomObject *self)\n{\n    if (self->seeded_by < _Py_SnapshotRun) random_seed(self, NULL);\n}\n\n" +
      "static uint32_t\ngenrand_uint32(RandomObject *self)\n{\n    random_renew(self);",
  ),
  renewed(
    "    if (arg == NULL || arg == Py_None) {\n       if (random_seed_urandom(self) < 0) {",
    "    self->seeded_by = arg == NULL || arg == Py_None ? _Py_SnapshotRun : 2;\n" +
      "    if (arg == NULL || arg == Py_None) {\n       if (random_seed_urandom(self) < 0) {",
  ),
  renewed(
    "    int i;\n\n    state = PyTuple_New(N+1);",
    "    int i;\n\n    random_renew(self);\n    state = PyTuple_New(N+1);",
  ),
  renewed(
    "    self->index = (int)index;",
    "    self->seeded_by = 2;\n    self->index = (int)index;",
  ),
  {
    file: "Modules/posixmodule.c",
    reason:
      "Debian's wasi-libc takes no times for the beginning of 1970 instead of now, and refuses UTIME_NOW",
    from: `#define UTIME_TO_TIMESPEC \\
    struct timespec ts[2]; \\
    struct timespec *time; \\
    if (ut->now) \\
        time = NULL; \\
`,
    to: `#define UTIME_TO_TIMESPEC \\
    struct timespec ts[2]; \\
    struct timespec *time; \\
    if (ut->now) \\
        clock_gettime(CLOCK_REALTIME, &ts[0]), ts[1] = ts[0], time = ts; \\
`,
  },
  stackScale("Python/ast.c"),
  stackScale("Python/ast_opt.c"),
  stackScale("Python/symtable.c"),
  {
    ...stackScale("Python/Python-ast.c"),
    from: "COMPILER_STACK_FRAME_SCALE = 3",
    to: "COMPILER_STACK_FRAME_SCALE = 1",
  },
];

/** Makes the changes in an unpacked source. */
export function patchSources(folder) {
  for (const { file, from, to } of PATCHES) {
    const path = join(folder, file);
    const text = readFileSync(path, "utf8");
    if (text.split(from).length !== 2)
      throw new Error(`${file} is not what its patch was made for`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
}
