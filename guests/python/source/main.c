/* Starts CPython with the standard library that lies in the module; the command line, and both halves of a snapshot. */
#include <Python.h>
#include <marshal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <wasi/api.h>
#include <wasi/libc-environ.h>
#include "guest.h"
#include "stdlib_hook.h" /* stdlib_hook_code[]: marshalled library/_stdlib_hook.py, written by the build */

/* argv of WASI, NULL at its end; kept for as long as the instance lives. */
static char **host_arguments(int *count)
{
    size_t number = 0, bytes = 0;
    if (__wasi_args_sizes_get(&number, &bytes) != 0) number = bytes = 0;
    char **argv = calloc(number + 2, sizeof(char *));
    char *text = malloc(bytes + 1);
    if (argv == NULL || text == NULL) abort();
    if (number > 0 && __wasi_args_get((uint8_t **)argv, (uint8_t *)text) != 0) number = 0;
    if (number == 0) argv[number++] = "python";
    *count = (int)number;
    return argv;
}

/* Puts the finder of the packed library on sys.path_hooks, before anything has to be found: not even encodings are there. */
static int install_stdlib(void)
{
    PyObject *code = PyMarshal_ReadObjectFromString((const char *)stdlib_hook_code, sizeof stdlib_hook_code);
    if (code == NULL) return -1;
    PyObject *module = PyImport_AddModule("_stdlib_hook"); /* borrowed */
    PyObject *space = module != NULL ? PyModule_GetDict(module) : NULL;
    PyObject *value = NULL;
    if (space != NULL && PyDict_SetItemString(space, "__builtins__", PyEval_GetBuiltins()) == 0) {
        value = PyEval_EvalCode(code, space, space);
    }
    Py_DECREF(code);
    Py_XDECREF(value);
    return value != NULL ? 0 : -1;
}

/* `argc` 0: the interpreter of a snapshot, whose command line comes later. */
static PyStatus initialize(int argc, char **argv)
{
    PyPreConfig preconfig;
    PyPreConfig_InitPythonConfig(&preconfig);
    preconfig.utf8_mode = 1;
    preconfig.parse_argv = argc > 0;
    if (argc == 0) preconfig.use_environment = 0;
    PyStatus status = argc > 0 ? Py_PreInitializeFromBytesArgs(&preconfig, argc, argv) : Py_PreInitialize(&preconfig);
    if (PyStatus_Exception(status)) return status;

    cold_install();
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.pathconfig_warnings = 0;
    config.user_site_directory = 0;
    config._init_main = 0;
    config.parse_argv = argc > 0;
    if (argc == 0) config.use_environment = 0;
    status = PyConfig_SetBytesString(&config, &config.home, "/usr");
    if (!PyStatus_Exception(status)) {
        status = argc > 0 ? PyConfig_SetBytesArgv(&config, argc, argv)
                          : PyConfig_SetBytesString(&config, &config.program_name, "python");
    }
    if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) return status;
    if (install_stdlib() < 0) {
        PyErr_Print();
        return PyStatus_Error("the packed standard library cannot be read");
    }
    return _Py_InitializeMain();
}

/* Wheels that lie in /packages, without a price where there are none. */
static void find_wheels(void)
{
    struct stat info;
    if (stat("/packages", &info) != 0) return;
    PyObject *module = PyImport_ImportModule("_wheels");
    PyObject *value = module != NULL ? PyObject_CallMethod(module, "install", NULL) : NULL;
    if (value == NULL) PyErr_Print();
    Py_XDECREF(module);
    Py_XDECREF(value);
}

int guest_main(void)
{
    int argc;
    char **argv = host_arguments(&argc);
    PyStatus status = initialize(argc, argv);
    if (PyStatus_IsExit(status)) return status.exitcode;
    if (PyStatus_Exception(status)) {
        fprintf(stderr, "python: %s\n", status.err_msg != NULL ? status.err_msg : "cannot start");
        return 1;
    }
    find_wheels();
    return Py_RunMain();
}

/* _snapshot.run, found before the snapshot is taken: no run looks for it. */
static PyObject *run_command_line;

/* In a run of a snapshot; Modules/_randommodule.c asks. */
extern int _Py_SnapshotRun;

/* A list of the texts of an array with NULL at its end. */
static PyObject *list_of_texts(char **item)
{
    PyObject *list = PyList_New(0);
    for (; list != NULL && item != NULL && *item != NULL; item++) {
        PyObject *text = PyUnicode_DecodeFSDefault(*item);
        if (text == NULL || PyList_Append(list, text) < 0) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

/* The exit code that a call gave; takes the reference. An exception is shown, and is 1. */
static int exit_code(PyObject *value)
{
    int code = value != NULL ? (int)PyLong_AsLong(value) : 1;
    Py_XDECREF(value);
    if (!PyErr_Occurred()) return code;
    PyErr_Print();
    return 1;
}

int snapshot_init(void)
{
    int argc;
    char **argv = host_arguments(&argc);
    PyStatus status = initialize(0, NULL);
    if (PyStatus_Exception(status)) {
        fprintf(stderr, "python: %s\n", status.err_msg != NULL ? status.err_msg : "cannot start");
        return 1;
    }
    PyObject *module = PyImport_ImportModule("_snapshot");
    PyObject *names = module != NULL ? list_of_texts(argv + 1) : NULL;
    PyObject *value = NULL;
    if (names != NULL) {
        run_command_line = PyObject_GetAttrString(module, "run");
        value = PyObject_CallMethod(module, "prepare", "O", names);
    }
    Py_XDECREF(module);
    Py_XDECREF(names);
    return exit_code(value);
}

int snapshot_run(void)
{
    if (run_command_line == NULL) {
        fprintf(stderr, "python: snapshot_run before snapshot_init\n");
        return 1;
    }
    _Py_SnapshotRun = 1;
    int argc;
    char **argv = host_arguments(&argc);
    __wasilibc_initialize_environ(); /* ensure and deinitialize leave an empty one as it is */
    PyObject *arguments = list_of_texts(argv);
    PyObject *environment = list_of_texts(__wasilibc_get_environ());
    if (arguments == NULL || environment == NULL) return exit_code(NULL);
    struct stat info;
    PyObject *wheels = stat("/packages", &info) == 0 ? Py_True : Py_False;
    PyObject *const values[] = {arguments, environment, wheels};
    return exit_code(PyObject_Vectorcall(run_command_line, values, 3, NULL));
}
