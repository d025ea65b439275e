/* Modules whose large tables lie in the library's file, in a module that has no library inside: they are read when the
   module is first imported; in the guest. */
#include <Python.h>
#include <string.h>
#include "guest.h"

/* In the order of build/cpython.mjs. */
#define COLD_MODULES(each) \
    each(0, _codecs_cn) each(1, _codecs_hk) each(2, _codecs_jp) each(3, _codecs_kr) each(4, _codecs_tw) each(5, unicodedata)
#define COUNT 6

/* Filled in after linking by build/cold-data.mjs, and all zeros but for the mark where nothing was cut. */
struct cold_table {
    unsigned char check[8];
    struct { uint32_t address, length, offset; } parts[COUNT];
    uint32_t mark; /* keeps it among the data that is written down */
};
volatile struct cold_table cold_table = {.mark = 1};

static int loaded[COUNT];

static int load(int number)
{
    uint32_t length = cold_table.parts[number].length;
    if (length == 0 || loaded[number]) return 0;
    unsigned char check[sizeof cold_table.check];
    unsigned char *target = (unsigned char *)cold_table.parts[number].address;
    if (stdlib_read_file(check, cold_table.parts[0].offset - sizeof check, sizeof check) < 0) return -1;
    if (memcmp(check, (const void *)cold_table.check, sizeof check) != 0) {
        PyErr_SetString(PyExc_ImportError, "the tables beside the standard library are those of another build");
        return -1;
    }
    if (stdlib_read_file(target, cold_table.parts[number].offset, length) < 0) return -1;
    loaded[number] = 1;
    return 0;
}

#define WRAP(number, name) \
    PyMODINIT_FUNC PyInit_##name(void); \
    static PyObject *cold_##name(void) { return load(number) < 0 ? NULL : PyInit_##name(); }
COLD_MODULES(WRAP)

void cold_install(void)
{
    if (cold_table.parts[0].length == 0) return;
    for (struct _inittab *entry = PyImport_Inittab; entry->name != NULL; entry++) {
#define REPLACE(number, module) if (strcmp(entry->name, #module) == 0) entry->initfunc = cold_##module;
        COLD_MODULES(REPLACE)
    }
}
