/* Has the host load the code that most programs never call: build/split-module.mjs makes the first call of any of it come here;
   in the guest. */
#include <stdint.h>
#include <wasi/api.h>

__attribute__((import_module("sallyport"), import_name("load_code"))) int32_t sallyport_load_code(void);

#define NOT_LOADED 29
#define TEXT "python: a part of the interpreter (python-deferred.wasm) "

/* Nothing but imports is called here: what led here may be any function, the allocator's own among them, with half of its
   work done; and a function of its own, which no typical program calls, would be deferred itself. */
static inline __attribute__((always_inline)) void fail(const char *text, __wasi_size_t length)
{
    __wasi_ciovec_t vector = {(const uint8_t *)text, length};
    __wasi_size_t written;
    (void)!__wasi_fd_write(2, &vector, 1, &written);
    __builtin_trap();
}

__attribute__((export_name("load_deferred"))) void load_deferred(void)
{
    static const char absent[] = TEXT "is needed now, and could not be loaded\n";
    static const char strange[] = TEXT "is none, or belongs to another build\n";
    int32_t error = sallyport_load_code();
    if (error == NOT_LOADED) fail(absent, sizeof absent - 1);
    if (error != 0) fail(strange, sizeof strange - 1);
}
