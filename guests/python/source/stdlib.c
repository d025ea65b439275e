/* The standard library inside the module's own memory, or in a file that the host puts there: _stdlib reads what
   build/pack_stdlib.py wrote; in the guest. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <fcntl.h>
#include <marshal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

int stdlib_read_file(void *target, unsigned offset, unsigned length);

/* Four bytes, the length of the marshalled index; 32, a digest of all that follows; the index; the files that it names. A
   module without the files reads them from STDLIB_FILE, which is the whole archive again. */
extern const unsigned char stdlib_archive[];
extern const unsigned char stdlib_archive_end[];

#define HEAD_BYTES 36
#define STDLIB_FILE "/lib/python3.11/stdlib.bin"
#define LARGEST_FILE (64u << 20)

static uint32_t index_length(void)
{
    return (uint32_t)stdlib_archive[0] | (uint32_t)stdlib_archive[1] << 8 | (uint32_t)stdlib_archive[2] << 16 |
           (uint32_t)stdlib_archive[3] << 24;
}

/* All of `length` bytes, or -1 with an exception set. */
static int read_at(int fd, void *target, size_t length, off_t offset)
{
    for (size_t done = 0; done < length;) {
        ssize_t count = pread(fd, (char *)target + done, length - done, offset + (off_t)done);
        if (count <= 0) {
            PyErr_SetString(PyExc_ImportError, "the standard library's file " STDLIB_FILE " cannot be read");
            return -1;
        }
        done += (size_t)count;
    }
    return 0;
}

/* Bytes of the library's file, once it is known to be this build's; -1 with an exception set. */
int stdlib_read_file(void *target, unsigned offset, unsigned length)
{
    unsigned char head[HEAD_BYTES];
    int fd = open(STDLIB_FILE, O_RDONLY);
    if (fd < 0) {
        PyErr_SetString(PyExc_ImportError, "the standard library's file " STDLIB_FILE " is not there");
        return -1;
    }
    int result = read_at(fd, head, HEAD_BYTES, 0);
    if (result == 0 && memcmp(head, stdlib_archive, HEAD_BYTES) != 0) {
        PyErr_SetString(PyExc_ImportError, STDLIB_FILE " is the standard library of another build");
        result = -1;
    }
    if (result == 0) result = read_at(fd, target, length, (off_t)offset);
    close(fd);
    return result;
}

/* An entry of the file, in memory of the caller's own. NULL with an exception set. */
static unsigned char *read_file(unsigned offset, unsigned length)
{
    unsigned char *bytes = PyMem_RawMalloc(length > 0 ? length : 1);
    if (bytes == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (stdlib_read_file(bytes, HEAD_BYTES + index_length() + offset, length) == 0) return bytes;
    PyMem_RawFree(bytes);
    return NULL;
}

/* The entry's bytes: borrowed where they lie unpacked in memory, else in `*owned`. NULL with an exception set. */
static const char *entry_bytes(PyObject *args, unsigned *size, char **owned)
{
    unsigned offset, packed;
    *owned = NULL;
    if (!PyArg_ParseTuple(args, "III", &offset, &packed, size)) return NULL;
    const unsigned char *files = stdlib_archive + HEAD_BYTES + index_length();
    size_t room = (size_t)(stdlib_archive_end - files);
    if (*size > LARGEST_FILE || packed > LARGEST_FILE || (room > 0 && (offset > room || packed > room - offset))) {
        PyErr_SetString(PyExc_ValueError, "not an entry of the archive");
        return NULL;
    }
    unsigned char *fetched = room == 0 ? read_file(offset, packed) : NULL;
    if (room == 0 && fetched == NULL) return NULL;
    const unsigned char *bytes = room == 0 ? fetched : files + offset;
    if (packed == *size) {
        *owned = (char *)fetched;
        return (const char *)bytes;
    }
    char *plain = PyMem_RawMalloc(*size > 0 ? *size : 1);
    uLongf got = *size;
    int good = plain != NULL && uncompress((Bytef *)plain, &got, bytes, packed) == Z_OK && got == *size;
    PyMem_RawFree(fetched);
    if (good) return *owned = plain;
    PyMem_RawFree(plain);
    if (plain == NULL) PyErr_NoMemory();
    else PyErr_SetString(PyExc_ValueError, "a broken entry of the archive");
    return NULL;
}

static PyObject *stdlib_index(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
    return PyMarshal_ReadObjectFromString((const char *)stdlib_archive + HEAD_BYTES, index_length());
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
