// The C kit for function packages (ABI 1): a table of tools and sp_serve(); runs in the guest.
//
// One file beside sallyport.h, no library. Define SALLYPORT_IMPLEMENTATION in exactly one source file before including it.
//
//     #define SALLYPORT_IMPLEMENTATION
//     #include "sallyport_package.h"
//
//     static void greet(sp_value args, sp_result *result) {
//       char name[200], text[256];
//       if (sp_text(sp_member(args, "name"), name, sizeof name) - 1 >= sizeof name - 1)
//         { sp_fail(result, "name must be a text of 1 to 199 bytes"); return; }
//       snprintf(text, sizeof text, "Hello, %s!", name);
//       sp_add_text(result, text);
//     }
//
//     static const sp_tool tools[] = {
//         {"greet", "Greet someone by name.",
//          "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}", NULL, greet},
//     };
//     int main(void) { return sp_serve(tools, sizeof tools / sizeof *tools); }
//
// sp_serve answers server/discover, tools/list and tools/call, ignores notifications, and returns 0 at the end of stdin.
// Print nothing on stdout yourself: it is the protocol's. Logs go to stderr.
#ifndef SALLYPORT_PACKAGE_H
#define SALLYPORT_PACKAGE_H

#ifndef SALLYPORT_NO_DOOR
#define SALLYPORT_NO_DOOR // a package may not import the door
#endif
#include "sallyport.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a call comes to: blocks of content in their order, and a structured value. Made by sp_serve, filled by a tool.
typedef struct {
  sp_writer content;
  const char *structured; // a JSON value, or NULL
  size_t structured_length;
  bool failed;
} sp_result;

typedef void (*sp_tool_function)(sp_value args, sp_result *result);

typedef struct {
  const char *name;        // 1 to 64 of a-z, 0-9, _ and -
  const char *description; // at most 1,024 characters; the model reads it
  const char *input_schema;  // JSON, "type": "object" at the top, at most 64 KiB
  const char *output_schema; // JSON, or NULL
  sp_tool_function call;
} sp_tool;

void sp_add_text(sp_result *result, const char *text);
void sp_add_text_n(sp_result *result, const char *text, size_t length);
// "image/png", "image/jpeg", "image/gif" or "image/webp"; it counts against the 1 MiB of stdout, as base64.
void sp_add_image(sp_result *result, const char *mime_type, const void *bytes, size_t length);
// A link; for a file beneath /volume give its path, such as "/volume/tmp/chart.png", and any name.
void sp_add_link(sp_result *result, const char *path_or_uri, const char *name);
// The structured value: JSON text that stays where it is until the tool has returned.
void sp_set_structured(sp_result *result, const char *json, size_t length);
// A failure that the model should read: adds the text and marks the result with isError.
void sp_fail(sp_result *result, const char *text);

// Serves until stdin ends. Gives the exit code for main: 0, or 1 when stdout could not be written.
int sp_serve(const sp_tool *tools, size_t count);

#ifdef __cplusplus
}
#endif
#endif // SALLYPORT_PACKAGE_H

#if defined(SALLYPORT_IMPLEMENTATION) && !defined(SALLYPORT_PACKAGE_IMPLEMENTED)
#define SALLYPORT_PACKAGE_IMPLEMENTED

#include <unistd.h>

// ---- Results

// A message is at most 1 MiB, since more on stdout ends the call.
#define SP__MESSAGE_BYTES (1 << 20)

static sp_writer *sp__block(sp_result *result, const char *type) {
  sp_writer *to = &result->content;
  sp_begin_object(to);
  sp_key(to, "type");
  sp_string(to, type);
  return to;
}

void sp_add_text_n(sp_result *result, const char *text, size_t length) {
  sp_writer *to = sp__block(result, "text");
  sp_key(to, "text");
  sp_string_n(to, text, length);
  sp_end_object(to);
}

void sp_add_text(sp_result *result, const char *text) { sp_add_text_n(result, text, strlen(text)); }

void sp_fail(sp_result *result, const char *text) {
  sp_add_text(result, text);
  result->failed = true;
}

void sp_set_structured(sp_result *result, const char *json, size_t length) {
  result->structured = json;
  result->structured_length = length;
}

void sp_add_image(sp_result *result, const char *mime_type, const void *bytes, size_t length) {
  sp_writer *to = sp__block(result, "image");
  sp_key(to, "mimeType");
  sp_string(to, mime_type);
  sp_key(to, "data");
  // sp_bytes writes {"$bytes":"..."}; here the text alone is wanted, so its braces are taken off again.
  size_t before = to->length;
  sp_bytes(to, bytes, length);
  if (!to->failed) {
    const size_t head = sizeof "{\"$bytes\":" - 1;
    memmove(to->start + before, to->start + before + head, to->length - before - head - 1);
    to->length -= head + 1;
  }
  sp_end_object(to);
}

// Each segment of the path percent-encoded, so that the address names this file and no other.
static void sp__volume_uri(sp_writer *to, const char *path) {
  static const char digits[] = "0123456789ABCDEF";
  static const char plain[] = "-._~/";
  sp__separate(to);
  sp__put(to, "\"volume:///", 11);
  for (; *path; path++) {
    unsigned char byte = (unsigned char)*path;
    bool letter = (byte | 32) >= 'a' && (byte | 32) <= 'z';
    if (letter || sp__is_digit(*path) || strchr(plain, *path)) {
      sp__put(to, path, 1);
    } else {
      char escape[3] = {'%', digits[byte >> 4], digits[byte & 15]};
      sp__put(to, escape, 3);
    }
  }
  sp__put(to, "\"", 1);
}

void sp_add_link(sp_result *result, const char *path_or_uri, const char *name) {
  static const char volume[] = "/volume/";
  sp_writer *to = sp__block(result, "resource_link");
  sp_key(to, "uri");
  if (!strncmp(path_or_uri, volume, sizeof volume - 1)) sp__volume_uri(to, path_or_uri + sizeof volume - 1);
  else sp_string(to, path_or_uri);
  sp_key(to, "name");
  sp_string(to, name);
  sp_end_object(to);
}

// ---- Messages

static sp_writer sp__message = {NULL, 0, 0, false, SP__MESSAGE_BYTES}; // room for one message after the other

static bool sp__print(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(STDOUT_FILENO, bytes, length);
    if (written <= 0) return false;
    bytes += written;
    length -= (size_t)written;
  }
  return true;
}

// The next message uses the buffer again, wherever it has grown to.
static void sp__keep_room(const sp_writer *to) {
  sp__message.start = to->start;
  sp__message.capacity = to->capacity;
}

static sp_writer sp__begin_answer(sp_value id) {
  sp_writer to = sp__message;
  sp_begin_object(&to);
  sp_key(&to, "jsonrpc");
  sp_string(&to, "2.0");
  sp_key(&to, "id");
  // An id is echoed as it came. What could not be read had none.
  if (id.start) sp_raw(&to, id.start, id.length);
  else sp_null(&to);
  return to;
}

static bool sp__send_error(sp_value id, int64_t code, const char *text) {
  sp_writer to = sp__begin_answer(id);
  sp_key(&to, "error");
  sp_begin_object(&to);
  sp_key(&to, "code");
  sp_integer(&to, code);
  sp_key(&to, "message");
  sp_string(&to, text);
  sp_end_object(&to);
  sp_end_object(&to);
  sp__put(&to, "\n", 1);
  sp__keep_room(&to);
  return !to.failed && sp__print(to.start, to.length);
}

// Ends the result and the message. What found no room is a failure that says so.
static bool sp__send(sp_writer *to, sp_value id) {
  sp_end_object(to);
  sp_end_object(to);
  sp__put(to, "\n", 1);
  sp__keep_room(to);
  if (to->failed) return sp__send_error(id, -32603, "the answer is larger than 1 MiB");
  return sp__print(to->start, to->length);
}

static sp_writer sp__begin_result(sp_value id) {
  sp_writer to = sp__begin_answer(id);
  sp_key(&to, "result");
  sp_begin_object(&to);
  sp_key(&to, "resultType");
  sp_string(&to, "complete");
  return to;
}

// ---- Requests

static bool sp__discover(sp_value id) {
  sp_writer to = sp__begin_result(id);
  sp_key(&to, "supportedVersions");
  sp_begin_array(&to);
  sp_string(&to, "2026-07-28");
  sp_end_array(&to);
  sp_key(&to, "capabilities");
  sp_begin_object(&to);
  sp_key(&to, "tools");
  sp_begin_object(&to);
  sp_end_object(&to);
  sp_end_object(&to);
  return sp__send(&to, id);
}

static bool sp__list(sp_value id, const sp_tool *tools, size_t count) {
  sp_writer to = sp__begin_result(id);
  sp_key(&to, "tools");
  sp_begin_array(&to);
  for (size_t i = 0; i < count; i++) {
    sp_begin_object(&to);
    sp_key(&to, "name");
    sp_string(&to, tools[i].name);
    sp_key(&to, "description");
    sp_string(&to, tools[i].description);
    sp_key(&to, "inputSchema");
    sp_raw(&to, tools[i].input_schema, strlen(tools[i].input_schema));
    if (tools[i].output_schema) {
      sp_key(&to, "outputSchema");
      sp_raw(&to, tools[i].output_schema, strlen(tools[i].output_schema));
    }
    sp_end_object(&to);
  }
  sp_end_array(&to);
  // A client may keep the list for a day: what a module offers only changes with the module.
  sp_key(&to, "ttlMs");
  sp_integer(&to, 86400000);
  sp_key(&to, "cacheScope");
  sp_string(&to, "public");
  return sp__send(&to, id);
}

static bool sp__call(sp_value id, sp_value params, const sp_tool *tools, size_t count) {
  sp_value name = sp_member(params, "name");
  sp_value args = sp_member(params, "arguments");
  size_t chosen = 0;
  while (chosen < count && !sp_is_text(name, tools[chosen].name)) chosen++;
  if (chosen == count) return sp__send_error(id, -32602, "there is no such tool");
  if (!args.start) args = sp_read("{}", 2);
  sp_writer to = sp__begin_result(id);
  sp_key(&to, "content");
  sp_begin_array(&to);
  sp_result result = {to, NULL, 0, false};
  tools[chosen].call(args, &result);
  to = result.content;
  sp_end_array(&to);
  if (result.structured) {
    sp_key(&to, "structuredContent");
    sp_raw(&to, result.structured, result.structured_length);
  }
  if (result.failed) {
    sp_key(&to, "isError");
    sp_boolean(&to, true);
  }
  return sp__send(&to, id);
}

static bool sp__answer(const char *line, size_t length, const sp_tool *tools, size_t count) {
  sp_value request = sp_read(line, length);
  sp_value id = sp_member(request, "id");
  sp_value method = sp_member(request, "method");
  if (!request.start) return sp__send_error(id, -32700, "the line is no JSON");
  if (sp_type_of(method) != SP_STRING) return sp__send_error(id, -32600, "the message is no request");
  if (!id.start) return true; // a notification
  if (sp_is_text(method, "server/discover")) return sp__discover(id);
  if (sp_is_text(method, "tools/list")) return sp__list(id, tools, count);
  if (sp_is_text(method, "tools/call")) return sp__call(id, sp_member(request, "params"), tools, count);
  return sp__send_error(id, -32601, "there is no such method");
}

int sp_serve(const sp_tool *tools, size_t count) {
  char *room = NULL;
  size_t capacity = 0, length = 0;
  for (;;) {
    if (length == capacity && !sp__grow(&room, &capacity, length + 1)) return 1;
    ssize_t count_read = read(STDIN_FILENO, room + length, capacity - length);
    if (count_read < 0) return 1;
    if (count_read == 0) return 0;
    size_t from = length, start = 0;
    length += (size_t)count_read;
    // Whole lines are answered at once: the next one comes only after its answer.
    for (char *end; (end = (char *)memchr(room + from, '\n', length - from)); from = start) {
      size_t stop = (size_t)(end - room);
      if (stop > start && !sp__answer(room + start, stop - start, tools, count)) return 1;
      start = stop + 1;
    }
    memmove(room, room + start, length - start);
    length -= start;
  }
}

#endif // SALLYPORT_IMPLEMENTATION
