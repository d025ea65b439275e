/* QuickJS's command line: `quickjs [-e CODE | FILE | -] [ARGS...]`, modules, print; in the guest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wasi/api.h>
#include <wasi/libc-environ.h>
#include "guest.h"
#include "quickjs.h"
#include "std.h"
#include "timers.h"

/* A worker's stack holds what this much of the guest's own takes; beyond it there is an InternalError, not a crash. */
#define STACK_BYTES (96 * 1024)

static JSRuntime *runtime;
static JSContext *context;

/* Promises that were rejected and that nobody has handled yet, and why the last one was. */
static int unhandled;
static JSValue last_reason;

static void show(JSContext *ctx, FILE *stream, JSValueConst value)
{
    size_t length;
    const char *text = JS_ToCStringLen(ctx, &length, value);
    if (text == NULL) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        return;
    }
    fwrite(text, 1, length, stream);
    JS_FreeCString(ctx, text);
}

static JSValue print_to(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv, int is_error)
{
    (void)self;
    FILE *stream = is_error ? stderr : stdout;
    for (int at = 0; at < argc; at++) {
        if (at > 0) fputc(' ', stream);
        show(ctx, stream, argv[at]);
    }
    fputc('\n', stream);
    return JS_UNDEFINED;
}

/* An error is shown with its stack, whose lines name the program's own. */
static void show_error(JSContext *ctx, JSValueConst error)
{
    fflush(stdout);
    show(ctx, stderr, error);
    fputc('\n', stderr);
    JSValue stack = JS_IsError(ctx, error) ? JS_GetPropertyStr(ctx, error, "stack") : JS_UNDEFINED;
    if (JS_IsString(stack)) show(ctx, stderr, stack);
    JS_FreeValue(ctx, stack);
}

static void track_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, JS_BOOL handled, void *opaque)
{
    (void)promise, (void)opaque;
    unhandled += handled ? -1 : 1;
    if (handled) return;
    JS_FreeValue(ctx, last_reason);
    last_reason = JS_DupValue(ctx, reason);
}

/* The engine's own generator is seeded when it is made, which for a snapshot is once for all runs. */
static JSValue random_number(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    (void)ctx, (void)self, (void)argc, (void)argv;
    uint64_t bits = 0;
    (void)__wasi_random_get((uint8_t *)&bits, sizeof bits);
    return JS_NewFloat64(ctx, (double)(bits >> 11) * 0x1p-53);
}

/* Everything that promises and timers still have to do. */
static int run_jobs(void)
{
    for (;;) {
        JSContext *of;
        int done = JS_ExecutePendingJob(runtime, &of);
        if (done == 0) done = unhandled > 0 ? 0 : timers_run(context);
        if (done <= 0) return done;
    }
}

static JSModuleDef *load_module(JSContext *ctx, const char *name, void *opaque)
{
    (void)opaque;
    size_t length;
    char *text = strcmp(name, "host") == 0 ? std_host_module(&length) : std_read_file(name, &length);
    if (text == NULL) {
        JS_ThrowReferenceError(ctx, "there is no module %s", name);
        return NULL;
    }
    JSValue code = JS_Eval(ctx, text, length, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    free(text);
    if (JS_IsException(code)) return NULL;
    JSModuleDef *module = JS_VALUE_GET_PTR(code);
    JS_FreeValue(ctx, code);
    return module;
}

static int start(void)
{
    runtime = JS_NewRuntime();
    context = runtime != NULL ? JS_NewContext(runtime) : NULL;
    if (context == NULL) return 1;
    last_reason = JS_UNDEFINED;
    JS_SetMaxStackSize(runtime, STACK_BYTES);
    JS_SetModuleLoaderFunc(runtime, NULL, load_module, NULL);
    JS_SetHostPromiseRejectionTracker(runtime, track_rejection, NULL);
    JSValue global = JS_GetGlobalObject(context), console = JS_NewObject(context);
    JSValue math = JS_GetPropertyStr(context, global, "Math");
    JS_SetPropertyStr(context, math, "random", JS_NewCFunction(context, random_number, "random", 0));
    JSValue print = JS_NewCFunctionMagic(context, print_to, "print", 1, JS_CFUNC_generic_magic, 0);
    JSValue error = JS_NewCFunctionMagic(context, print_to, "error", 1, JS_CFUNC_generic_magic, 1);
    JS_SetPropertyStr(context, console, "log", JS_DupValue(context, print));
    JS_SetPropertyStr(context, console, "error", error);
    JS_SetPropertyStr(context, global, "print", print);
    JS_SetPropertyStr(context, global, "console", console);
    timers_install(context, global);
    JS_FreeValue(context, math);
    JS_FreeValue(context, global);
    return std_install(context);
}

/* The program of the command line; NULL with a message when there is none. `name` is what errors call it. */
static char *program(int argc, char **argv, size_t *length, const char **name, int *rest)
{
    *name = "<code>";
    *rest = 3;
    if (argc > 2 && strcmp(argv[1], "-e") == 0) {
        *length = strlen(argv[2]);
        return strdup(argv[2]);
    }
    *rest = 2;
    if (argc > 1 && argv[1][0] == '-' && argv[1][1] != '\0') {
        fprintf(stderr, "usage: quickjs [-e CODE | FILE | -] [ARGS...]\n");
        return NULL;
    }
    *name = argc > 1 && argv[1][0] != '-' ? argv[1] : "<stdin>";
    char *text = argc > 1 && argv[1][0] != '-' ? std_read_file(argv[1], length) : std_read_stream(stdin, length);
    if (text == NULL) fprintf(stderr, "quickjs: cannot read %s\n", *name);
    return text;
}

static int run(int argc, char **argv)
{
    size_t length;
    const char *name;
    int rest;
    char *text = program(argc, argv, &length, &name, &rest);
    if (text == NULL) return 2;
    JS_UpdateStackTop(runtime);
    JSValue global = JS_GetGlobalObject(context), arguments = JS_NewArray(context);
    for (int at = rest; at < argc; at++) {
        JS_SetPropertyUint32(context, arguments, (uint32_t)(at - rest), JS_NewString(context, argv[at]));
    }
    JS_SetPropertyStr(context, global, "scriptArgs", arguments);
    JS_FreeValue(context, global);
    JSValue ended = JS_Eval(context, text, length, name, JS_EVAL_TYPE_MODULE);
    free(text);
    int code = JS_IsException(ended) || run_jobs() < 0;
    if (code != 0) {
        JSValue error = JS_GetException(context);
        show_error(context, error);
        JS_FreeValue(context, error);
    } else if (JS_PromiseState(context, ended) == JS_PROMISE_REJECTED) {
        JSValue error = JS_PromiseResult(context, ended);
        show_error(context, error);
        JS_FreeValue(context, error);
        code = 1;
    } else if (JS_PromiseState(context, ended) == JS_PROMISE_PENDING) {
        fprintf(stderr, "quickjs: the program waits for a promise that nothing will settle\n");
        code = 13;
    } else if (unhandled > 0) {
        show_error(context, last_reason);
        code = 1;
    }
    JS_FreeValue(context, ended);
    fflush(stdout);
    return code;
}

/* argv of WASI; kept for as long as the instance lives. */
static char **host_arguments(int *count)
{
    size_t number = 0, bytes = 0;
    if (__wasi_args_sizes_get(&number, &bytes) != 0) number = bytes = 0;
    char **argv = calloc(number + 1, sizeof(char *));
    char *text = malloc(bytes + 1);
    if (argv == NULL || text == NULL) abort();
    if (number > 0 && __wasi_args_get((uint8_t **)argv, (uint8_t *)text) != 0) number = 0;
    *count = (int)number;
    return argv;
}

int guest_main(void)
{
    int argc;
    char **argv = host_arguments(&argc);
    return start() != 0 ? 1 : run(argc, argv);
}

int snapshot_init(void)
{
    return start();
}

int snapshot_run(void)
{
    if (context == NULL) return 1;
    int argc;
    char **argv = host_arguments(&argc);
    __wasilibc_initialize_environ();
    return run(argc, argv);
}
