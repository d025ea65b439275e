/* The standard library inside the module's own memory: _stdlib reads what build/pack_stdlib.py wrote; in the guest. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <marshal.h>
#include <zlib.h>
#include <stdint.h>

/* Four bytes, the length of the marshalled index; the index; the files that it names. */
extern const unsigned char stdlib_archive[];
extern const unsigned char stdlib_archive_end[];

static uint32_t index_length(void)
{
    return (uint32_t)stdlib_archive[0] | (uint32_t)stdlib_archive[1] << 8 | (uint32_t)stdlib_archive[2] << 16 |
           (uint32_t)stdlib_archive[3] << 24;
}

/* The entry's bytes: borrowed where they lie unpacked, else inflated into `*owned`. NULL with an exception set. */
static const char *entry_bytes(PyObject *args, unsigned *size, char **owned)
{
    unsigned offset, packed;
    *owned = NULL;
    if (!PyArg_ParseTuple(args, "III", &offset, &packed, size)) return NULL;
    const unsigned char *files = stdlib_archive + 4 + index_length();
    size_t room = (size_t)(stdlib_archive_end - files);
    if (offset > room || packed > room - offset || *size > 64u << 20) {
        PyErr_SetString(PyExc_ValueError, "not an entry of the archive");
        return NULL;
    }
    if (packed == *size) return (const char *)files + offset;
    char *plain = PyMem_RawMalloc(*size > 0 ? *size : 1);
    if (plain == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    uLongf got = *size;
    if (uncompress((Bytef *)plain, &got, files + offset, packed) != Z_OK || got != *size) {
        PyMem_RawFree(plain);
        PyErr_SetString(PyExc_ValueError, "a broken entry of the archive");
        return NULL;
    }
    *owned = plain;
    return plain;
}

static PyObject *stdlib_index(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
    return PyMarshal_ReadObjectFromString((const char *)stdlib_archive + 4, index_length());
}

static PyObject *stdlib_read(PyObject *self, PyObject *args)
{
    (void)self;
    unsigned size;
    char *owned;
    const char *bytes = entry_bytes(args, &size, &owned);
    if (bytes == NULL) return NULL;
    PyObject *result = PyBytes_FromStringAndSize(bytes, size);
    PyMem_RawFree(owned);
    return result;
}

static PyObject *stdlib_code(PyObject *self, PyObject *args)
{
    (void)self;
    unsigned size;
    char *owned;
    const char *bytes = entry_bytes(args, &size, &owned);
    if (bytes == NULL) return NULL;
    PyObject *result = PyMarshal_ReadObjectFromString(bytes, size);
    PyMem_RawFree(owned);
    return result;
}

static PyMethodDef methods[] = {
    {"index", stdlib_index, METH_NOARGS, "The index: names to (offset, packed, size, kind)."},
    {"read", stdlib_read, METH_VARARGS, "The bytes of an entry."},
    {"code", stdlib_code, METH_VARARGS, "The code object of an entry."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_stdlib",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__stdlib(void)
{
    return PyModuleDef_Init(&definition);
}
