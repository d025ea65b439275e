/* The module "std": files, the environment, the end of the program, and the door to the page; in the guest. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "host_module.h" /* host_module[]: guests/javascript/host.js, written by the build */
#include "std.h"

__attribute__((import_module("host"), import_name("call")))
int32_t host_call(const void *frame, uint32_t length, void *answer_at, void *answer_length_at);

char *std_host_module(size_t *length)
{
    *length = sizeof host_module - 1;
    char *copy = malloc(sizeof host_module);
    if (copy != NULL) memcpy(copy, host_module, sizeof host_module);
    return copy;
}

char *std_read_stream(FILE *stream, size_t *length)
{
    size_t room = 4096, used = 0;
    char *text = malloc(room);
    while (text != NULL) {
        used += fread(text + used, 1, room - used - 1, stream);
        if (used < room - 1) break;
        char *more = realloc(text, room *= 2);
        if (more == NULL) free(text);
        text = more;
    }
    if (text != NULL && ferror(stream)) {
        free(text);
        text = NULL;
    }
    if (text == NULL) return NULL;
    text[used] = '\0';
    *length = used;
    return text;
}

char *std_read_file(const char *path, size_t *length)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return NULL;
    char *text = std_read_stream(stream, length);
    fclose(stream);
    return text;
}

static JSValue failed(JSContext *ctx, const char *what)
{
    return JS_ThrowTypeError(ctx, "%s: %s", what, strerror(errno));
}

static JSValue get_environment(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    (void)self, (void)argc;
    const char *name = JS_ToCString(ctx, argv[0]);
    if (name == NULL) return JS_EXCEPTION;
    const char *value = getenv(name);
    JS_FreeCString(ctx, name);
    return value != NULL ? JS_NewString(ctx, value) : JS_UNDEFINED;
}

static JSValue load_file(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    (void)self, (void)argc;
    const char *path = JS_ToCString(ctx, argv[0]);
    if (path == NULL) return JS_EXCEPTION;
    size_t length;
    char *text = std_read_file(path, &length);
    JSValue value = text != NULL ? JS_NewStringLen(ctx, text, length) : failed(ctx, path);
    free(text);
    JS_FreeCString(ctx, path);
    return value;
}

/* The bytes of a Uint8Array, which stay the array's; NULL with an exception. */
static const uint8_t *bytes_of(JSContext *ctx, JSValueConst value, size_t *length)
{
    size_t offset, width, whole;
    JSValue buffer = JS_GetTypedArrayBuffer(ctx, value, &offset, length, &width);
    if (JS_IsException(buffer)) return NULL;
    const uint8_t *start = JS_GetArrayBuffer(ctx, &whole, buffer);
    JS_FreeValue(ctx, buffer);
    return start != NULL ? start + offset : NULL;
}

/* saveFile(path, text or bytes). */
static JSValue save_file(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    (void)self, (void)argc;
    size_t length = 0;
    const uint8_t *bytes = JS_IsString(argv[1]) ? NULL : bytes_of(ctx, argv[1], &length);
    if (bytes == NULL && !JS_IsString(argv[1])) return JS_EXCEPTION;
    const char *text = bytes == NULL ? JS_ToCStringLen(ctx, &length, argv[1]) : NULL;
    const char *path = bytes != NULL || text != NULL ? JS_ToCString(ctx, argv[0]) : NULL;
    JSValue value = JS_UNDEFINED;
    FILE *stream = path != NULL ? fopen(path, "wb") : NULL;
    if (path == NULL) value = JS_EXCEPTION;
    else if (stream == NULL) value = failed(ctx, path);
    else {
        size_t written = fwrite(bytes != NULL ? (const char *)bytes : text, 1, length, stream);
        if (fclose(stream) != 0 || written != length) value = failed(ctx, path);
    }
    JS_FreeCString(ctx, path);
    JS_FreeCString(ctx, text);
    return value;
}

/* A line of standard input without its end; null when there is no more. */
static JSValue read_line(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    (void)self, (void)argc, (void)argv;
    char *line = NULL;
    size_t room = 0;
    fflush(stdout);
    ssize_t length = getline(&line, &room, stdin);
    if (length > 0 && line[length - 1] == '\n') length--;
    JSValue value = length >= 0 ? JS_NewStringLen(ctx, line, (size_t)length) : JS_NULL;
    free(line);
    return value;
}

static JSValue leave(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    (void)self, (void)argc;
    int32_t code = 0;
    if (JS_ToInt32(ctx, &code, argv[0]) < 0) return JS_EXCEPTION;
    exit(code);
}

/* exchange(path, line): a line to a device, and the line that it gives; null when it gives none. */
static JSValue exchange(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    (void)self, (void)argc;
    const char *path = JS_ToCString(ctx, argv[0]);
    size_t length = 0, room = 0;
    const char *text = path != NULL ? JS_ToCStringLen(ctx, &length, argv[1]) : NULL;
    FILE *device = text != NULL ? fopen(path, "r+") : NULL;
    char *line = NULL;
    ssize_t got = -1;
    if (device != NULL) {
        if (fwrite(text, 1, length, device) == length && fflush(device) == 0) got = getline(&line, &room, device);
        fclose(device);
    }
    JSValue value = text == NULL ? JS_EXCEPTION : got > 0 ? JS_NewStringLen(ctx, line, (size_t)got) : JS_NULL;
    free(line);
    JS_FreeCString(ctx, text);
    JS_FreeCString(ctx, path);
    return value;
}

/* A frame through the door, and its answer. */
static JSValue call_door(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    (void)self, (void)argc;
    size_t length;
    const char *frame = JS_ToCStringLen(ctx, &length, argv[0]);
    if (frame == NULL) return JS_EXCEPTION;
    char *answer = NULL;
    uint32_t answer_length = 0;
    fflush(stdout);
    int32_t code = host_call(frame, (uint32_t)length, &answer, &answer_length);
    JS_FreeCString(ctx, frame);
    if (code == -1) return JS_ThrowTypeError(ctx, "nobody serves the door");
    if (code != 0) return JS_ThrowTypeError(ctx, "the host failed (the door gave %d)", (int)code);
    JSValue value = JS_NewStringLen(ctx, answer, answer_length);
    free(answer);
    return value;
}

static const JSCFunctionListEntry functions[] = {
    JS_CFUNC_DEF("getenv", 1, get_environment), JS_CFUNC_DEF("loadFile", 1, load_file),
    JS_CFUNC_DEF("saveFile", 2, save_file),     JS_CFUNC_DEF("readLine", 0, read_line),
    JS_CFUNC_DEF("exit", 1, leave),             JS_CFUNC_DEF("door", 1, call_door),
    JS_CFUNC_DEF("exchange", 2, exchange),
};
#define COUNT ((int)(sizeof functions / sizeof functions[0]))

static int fill(JSContext *ctx, JSModuleDef *module)
{
    return JS_SetModuleExportList(ctx, module, functions, COUNT);
}

int std_install(JSContext *ctx)
{
    JSModuleDef *module = JS_NewCModule(ctx, "std", fill);
    return module == NULL || JS_AddModuleExportList(ctx, module, functions, COUNT) < 0;
}
