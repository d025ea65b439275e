/* The module's entries. They call the constructors themselves, or wasm-ld would wrap every export, so that each
   host_alloc would run all constructors and destructors anew; in the guest. */
#include <stdlib.h>
#include "guest.h"

extern void __wasm_call_ctors(void);
extern void __wasm_call_dtors(void);
extern _Noreturn void __wasi_proc_exit(int);

#define EXPORT(name) __attribute__((export_name(name)))

/* An instance is a command, a reactor or a snapshot; whichever comes first constructs, once. */
static int constructed;

static void construct(void)
{
    if (constructed) return;
    constructed = 1;
    __wasm_call_ctors();
}

/* A command: CPython's own command line, and the end of the process. */
EXPORT("_start") void _start(void)
{
    construct();
    int code = guest_main();
    __wasm_call_dtors();
    if (code != 0) __wasi_proc_exit(code);
}

/* A reactor: the same command line, once per instance; the exit code is the value. */
EXPORT("_initialize") void guest_initialize(void)
{
    construct();
}

EXPORT("run") int guest_run(void)
{
    construct();
    int code = guest_main();
    __wasm_call_dtors();
    return code;
}

/* The two halves of a snapshot: the memory between them can be kept and put back. */
EXPORT("snapshot_init") int guest_snapshot_init(void)
{
    construct();
    return snapshot_init();
}

EXPORT("snapshot_run") int guest_snapshot_run(void)
{
    return snapshot_run();
}

/* Room for an answer of the host; whoever asked frees it. */
EXPORT("host_alloc") void *guest_host_alloc(unsigned length)
{
    return malloc(length > 0 ? length : 1);
}
