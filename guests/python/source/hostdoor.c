/* The door as a built-in module: _hostdoor.call(bytes) -> bytes, over the import host::call; in the guest. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

__attribute__((import_module("host"), import_name("call")))
int32_t host_call(const void *frame, uint32_t length, void *answer_at, void *answer_length_at);

static PyObject *door_call(PyObject *self, PyObject *frame)
{
    (void)self;
    Py_buffer view;
    if (PyObject_GetBuffer(frame, &view, PyBUF_SIMPLE) < 0) return NULL;
    char *answer = NULL;
    uint32_t length = 0;
    int32_t code = host_call(view.buf, (uint32_t)view.len, &answer, &length);
    PyBuffer_Release(&view);
    if (code == -1) {
        PyErr_SetString(PyExc_OSError, "nobody serves the door");
        return NULL;
    }
    if (code != 0) {
        PyErr_Format(PyExc_OSError, "the host failed (the door gave %d)", (int)code);
        return NULL;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(answer, length);
    free(answer);
    return bytes;
}

static PyMethodDef methods[] = {
    {"call", door_call, METH_O, "Sends a frame through the door, and gives the answer's bytes."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_hostdoor",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__hostdoor(void)
{
    return PyModuleDef_Init(&definition);
}
