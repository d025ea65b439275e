// The C half of the tool protocol: call the page's tools, and HTTP, from a WASI preview 1 guest; runs in the guest.
//
// One file, no library. Define SALLYPORT_IMPLEMENTATION in exactly one source file before including it.
//
//     #define SALLYPORT_IMPLEMENTATION
//     #include "sallyport.h"
//
//     char frame[256];
//     sp_writer call = sp_call(frame, sizeof frame, "lookup_region");
//     sp_key(&call, "code");
//     sp_string(&call, "EMEA");
//     sp_answer answer = sp_send(&call);
//     if (answer.status == SP_OK) { char name[64]; sp_text(answer.value, name, sizeof name); }
//
// Memory: frames are written into a buffer of yours and never past its end. Answers land in one buffer that grows with
// realloc and is used again: what an sp_value points to is good until the next sp_send. Define
// SALLYPORT_ANSWER_BYTES to have a static buffer of that size instead; a longer answer is then SP_NO_ANSWER.
// Define SALLYPORT_NO_DOOR for a guest that wants HTTP alone (a function package may import nothing else).
#ifndef SALLYPORT_H
#define SALLYPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Writing JSON into a buffer. Commas are placed by themselves.

typedef struct {
  char *start;
  size_t length;
  size_t capacity;
  bool failed; // the buffer was too small, or a number was not finite; nothing is sent then
  size_t limit; // a buffer of malloc grows up to so many bytes; 0: any buffer, which stays as it is
} sp_writer;

sp_writer sp_write(char *buffer, size_t capacity);
void sp_begin_object(sp_writer *to);
void sp_end_object(sp_writer *to);
void sp_begin_array(sp_writer *to);
void sp_end_array(sp_writer *to);
void sp_key(sp_writer *to, const char *key);
void sp_string(sp_writer *to, const char *text);                     // UTF-8, ended by a zero byte
void sp_string_n(sp_writer *to, const char *text, size_t length);    // UTF-8, may hold zero bytes
void sp_bytes(sp_writer *to, const void *bytes, size_t length);      // {"$bytes": base64}
void sp_integer(sp_writer *to, int64_t value);
void sp_number(sp_writer *to, double value);
void sp_boolean(sp_writer *to, bool value);
void sp_null(sp_writer *to);
void sp_raw(sp_writer *to, const char *json, size_t length);         // a JSON value as it stands

// ---- Reading JSON: values are pieces of the text, nothing is copied until you ask for it.

typedef struct {
  const char *start; // NULL for no value
  size_t length;
} sp_value;

typedef enum { SP_NOTHING, SP_NULL, SP_BOOLEAN, SP_NUMBER, SP_STRING, SP_ARRAY, SP_OBJECT } sp_type;

// The text as a value, or no value when it is not JSON or more than 512 levels deep.
sp_value sp_read(const char *text, size_t length);
sp_type sp_type_of(sp_value value);
sp_value sp_member(sp_value object, const char *key); // the last one of that name
sp_value sp_item(sp_value array, size_t index);

// Each member or item in turn: `sp_iterator i = sp_each(v); while (sp_next(&i)) use(i.key, i.value);`
typedef struct {
  sp_value key; // nothing in an array
  sp_value value;
  const char *at;
  const char *end;
} sp_iterator;
sp_iterator sp_each(sp_value array_or_object);
bool sp_next(sp_iterator *iterator);

bool sp_get_boolean(sp_value value, bool *out);
bool sp_get_integer(sp_value value, int64_t *out); // false for 5.0 and for what does not fit
bool sp_get_number(sp_value value, double *out);
bool sp_is_text(sp_value value, const char *text);
// Decodes a string as UTF-8 and ends it with a zero byte, cut to the capacity. Gives the length of the whole, or
// SIZE_MAX when it is no string.
size_t sp_text(sp_value value, char *out, size_t capacity);
// Decodes {"$bytes": base64}, cut to the capacity. Gives the length of the whole, or SIZE_MAX when it is none.
size_t sp_get_bytes(sp_value value, void *out, size_t capacity);

// ---- The door.

#ifndef SALLYPORT_NO_DOOR

typedef enum {
  SP_OK,
  SP_PROTOCOL,
  SP_UNKNOWN_TOOL,
  SP_INVALID_ARGUMENTS,
  SP_DENIED,
  SP_TOOL_ERROR,
  SP_TIMEOUT,
  SP_CANCELLED,
  SP_TOO_LARGE,
  SP_BUDGET_EXCEEDED,
  SP_OTHER,     // a kind that this header does not know; it is in `kind`
  SP_NO_HOST,   // no host function: the door is closed
  SP_NO_ANSWER, // the host failed, or the answer found no room
  SP_NOT_SENT   // the frame did not fit its buffer, or holds a number that JSON cannot say
} sp_status;

typedef struct {
  sp_status status;
  sp_value value;   // SP_OK: the result (of sp_list: the array of descriptors)
  sp_value kind;    // otherwise, where the host answered: the kind, a JSON string
  sp_value message; // otherwise: what went wrong, a JSON string
} sp_answer;

// Begins a call; add the arguments with sp_key and a value each, then sp_send.
sp_writer sp_call(char *buffer, size_t capacity, const char *tool);
// A call whose arguments are a JSON object already.
sp_writer sp_call_raw(char *buffer, size_t capacity, const char *tool, const char *args, size_t length);
sp_answer sp_send(sp_writer *call);
sp_answer sp_list(void);
// "denied" and so on; "ok", "other", "no_host", "no_answer" and "not_sent" for what is no kind of the protocol.
const char *sp_status_name(sp_status status);

#endif

// ---- HTTP (subako_http).

// Begins a request; more members with sp_key ("headers", "body", "output", "timeout_ms"), then sp_http_send.
sp_writer sp_http(char *buffer, size_t capacity, const char *method, const char *url);
// Sends it and blocks. Gives the answer's length, or -1 (range), -4 when the request did not fit its buffer.
int32_t sp_http_send(sp_writer *request);
// Copies the answer out; `length` is what sp_http_send gave. The value is an object with "ok" or "error".
sp_value sp_http_read(char *buffer, int32_t length);

#ifdef __cplusplus
}
#endif
#endif // SALLYPORT_H

#if defined(SALLYPORT_IMPLEMENTATION) && !defined(SALLYPORT_IMPLEMENTED)
#define SALLYPORT_IMPLEMENTED

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Writing

sp_writer sp_write(char *buffer, size_t capacity) {
  sp_writer to = {buffer, 0, capacity, false, 0};
  return to;
}

// Doubles a buffer of malloc until it has so many bytes; false when there is no more memory. Small ones come first: a
// guest whose memory does not grow is started again sooner.
static bool sp__grow(char **buffer, size_t *capacity, size_t wanted) {
  size_t larger = *capacity ? *capacity : 1 << 12;
  while (larger < wanted) larger *= 2;
  char *grown = (char *)realloc(*buffer, larger);
  if (!grown) return false;
  *buffer = grown;
  *capacity = larger;
  return true;
}

static bool sp__has_room(sp_writer *to, size_t length) {
  if (length <= to->capacity - to->length) return true;
  if (to->length > to->limit || length > to->limit - to->length) return false;
  return sp__grow(&to->start, &to->capacity, to->length + length);
}

static void sp__put(sp_writer *to, const char *text, size_t length) {
  if (to->failed || !sp__has_room(to, length)) {
    to->failed = true;
    return;
  }
  memcpy(to->start + to->length, text, length);
  to->length += length;
}

// What comes before a value or key: a comma, unless it is the first one or stands after its key.
static void sp__separate(sp_writer *to) {
  if (to->failed || to->length == 0) return;
  char last = to->start[to->length - 1];
  if (last != '{' && last != '[' && last != ':') sp__put(to, ",", 1);
}

static void sp__word(sp_writer *to, const char *word) {
  sp__separate(to);
  sp__put(to, word, strlen(word));
}

void sp_begin_object(sp_writer *to) { sp__word(to, "{"); }
void sp_end_object(sp_writer *to) { sp__put(to, "}", 1); }
void sp_begin_array(sp_writer *to) { sp__word(to, "["); }
void sp_end_array(sp_writer *to) { sp__put(to, "]", 1); }
void sp_boolean(sp_writer *to, bool value) { sp__word(to, value ? "true" : "false"); }
void sp_null(sp_writer *to) { sp__word(to, "null"); }

void sp_raw(sp_writer *to, const char *json, size_t length) {
  sp__separate(to);
  sp__put(to, json, length);
}

void sp_string_n(sp_writer *to, const char *text, size_t length) {
  static const char digits[] = "0123456789abcdef";
  sp__separate(to);
  sp__put(to, "\"", 1);
  size_t plain = 0;
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    sp__put(to, text + plain, i - plain);
    char escape[6] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    sp__put(to, escape, 6);
    plain = i + 1;
  }
  sp__put(to, text + plain, length - plain);
  sp__put(to, "\"", 1);
}

void sp_string(sp_writer *to, const char *text) { sp_string_n(to, text, strlen(text)); }

void sp_key(sp_writer *to, const char *key) {
  sp_string(to, key);
  sp__put(to, ":", 1);
}

void sp_integer(sp_writer *to, int64_t value) {
  // By hand: printf would be most of a small guest.
  char text[20];
  size_t at = sizeof text;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do text[--at] = (char)('0' + rest % 10);
  while (rest /= 10);
  if (value < 0) text[--at] = '-';
  sp__separate(to);
  sp__put(to, text + at, sizeof text - at);
}

void sp_number(sp_writer *to, double value) {
  char text[32];
  // The difference is no number for the infinities and for NaN.
  if (value - value != 0) {
    to->failed = true;
    return;
  }
  sp__separate(to);
  sp__put(to, text, (size_t)snprintf(text, sizeof text, "%.17g", value));
}

void sp_bytes(sp_writer *to, const void *bytes, size_t length) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *from = (const unsigned char *)bytes;
  sp__word(to, "{\"$bytes\":\"");
  for (size_t i = 0; i < length; i += 3) {
    size_t left = length - i;
    uint32_t group = (uint32_t)from[i] << 16;
    if (left > 1) group |= (uint32_t)from[i + 1] << 8;
    if (left > 2) group |= from[i + 2];
    char four[4] = {digits[group >> 18], digits[(group >> 12) & 63], left > 1 ? digits[(group >> 6) & 63] : '=',
                    left > 2 ? digits[group & 63] : '='};
    sp__put(to, four, 4);
  }
  sp__put(to, "\"}", 2);
}

// ---- Reading. sp_read judges the whole text; everything else may then rely on it being JSON.

#define SP__DEPTH 512

static const char *sp__space(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
  return at;
}

static bool sp__is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
static bool sp__is_digit(char c) { return c >= '0' && c <= '9'; }

// The end of a string that begins at `at`; NULL when it is none.
static const char *sp__check_string(const char *at, const char *end) {
  if (at >= end || *at != '"') return NULL;
  for (at++; at < end; at++) {
    if (*at == '"') return at + 1;
    if ((unsigned char)*at < 0x20) return NULL;
    if (*at != '\\') continue;
    if (++at >= end) return NULL;
    if (*at == 'u') {
      if (end - at < 5) return NULL;
      for (int i = 1; i <= 4; i++)
        if (!sp__is_hex(at[i])) return NULL;
      at += 4;
    } else if (*at == 0 || !strchr("\"\\/bfnrt", *at)) {
      return NULL;
    }
  }
  return NULL;
}

static const char *sp__digits(const char *at, const char *end) {
  const char *first = at;
  while (at < end && sp__is_digit(*at)) at++;
  return at == first ? NULL : at;
}

static const char *sp__check_number(const char *at, const char *end) {
  if (at < end && *at == '-') at++;
  bool zero = at < end && *at == '0';
  const char *digits = at;
  at = sp__digits(at, end);
  if (!at || (zero && at - digits > 1)) return NULL;
  if (at < end && *at == '.') {
    at = sp__digits(at + 1, end);
    if (!at) return NULL;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    at = sp__digits(at, end);
  }
  return at;
}

static const char *sp__check_word(const char *at, const char *end, const char *word) {
  size_t length = strlen(word);
  return (size_t)(end - at) >= length && !memcmp(at, word, length) ? at + length : NULL;
}

static const char *sp__check_scalar(const char *at, const char *end) {
  if (at >= end) return NULL;
  switch (*at) {
  case '"': return sp__check_string(at, end);
  case 't': return sp__check_word(at, end, "true");
  case 'f': return sp__check_word(at, end, "false");
  case 'n': return sp__check_word(at, end, "null");
  default: return sp__check_number(at, end);
  }
}

// A key and its colon; NULL when there is none.
static const char *sp__check_key(const char *at, const char *end) {
  at = sp__check_string(sp__space(at, end), end);
  if (!at) return NULL;
  at = sp__space(at, end);
  return at < end && *at == ':' ? at + 1 : NULL;
}

// The end of the value that begins at `at`, or NULL. No recursion: one bit a level says whether it is an object.
static const char *sp__check(const char *at, const char *end) {
  unsigned char objects[SP__DEPTH / 8];
  int depth = 0;
  for (;;) {
    at = sp__space(at, end);
    if (at < end && (*at == '{' || *at == '[')) {
      bool object = *at == '{';
      at = sp__space(at + 1, end);
      if (at < end && *at == (object ? '}' : ']')) {
        at++;
      } else {
        if (depth == SP__DEPTH) return NULL;
        unsigned char bit = (unsigned char)(1 << (depth % 8));
        objects[depth / 8] = (unsigned char)(object ? objects[depth / 8] | bit : objects[depth / 8] & ~bit);
        depth++;
        if (object && !(at = sp__check_key(at, end))) return NULL;
        continue;
      }
    } else if (!(at = sp__check_scalar(at, end))) {
      return NULL;
    }
    // A value has ended: so may the arrays and objects around it.
    for (;;) {
      if (depth == 0) return at;
      bool object = objects[(depth - 1) / 8] >> ((depth - 1) % 8) & 1;
      at = sp__space(at, end);
      if (at >= end) return NULL;
      if (*at == ',') {
        at++;
        if (object && !(at = sp__check_key(at, end))) return NULL;
        break;
      }
      if (*at++ != (object ? '}' : ']')) return NULL;
      depth--;
    }
  }
}

static const sp_value sp__nothing = {NULL, 0};

sp_value sp_read(const char *text, size_t length) {
  const char *end = text + length;
  const char *start = sp__space(text, end);
  const char *stop = sp__check(start, end);
  if (!stop || sp__space(stop, end) != end) return sp__nothing;
  sp_value value = {start, (size_t)(stop - start)};
  return value;
}

sp_type sp_type_of(sp_value value) {
  if (!value.start) return SP_NOTHING;
  switch (*value.start) {
  case '{': return SP_OBJECT;
  case '[': return SP_ARRAY;
  case '"': return SP_STRING;
  case 't':
  case 'f': return SP_BOOLEAN;
  case 'n': return SP_NULL;
  default: return SP_NUMBER;
  }
}

static const char *sp__skip_string(const char *at) {
  for (at++; *at != '"'; at++)
    if (*at == '\\') at++;
  return at + 1;
}

// The end of a value of judged JSON.
static const char *sp__skip(const char *at, const char *end) {
  size_t depth = 0;
  do {
    if (*at == '"') {
      at = sp__skip_string(at);
    } else if (*at == '{' || *at == '[') {
      depth++;
      at++;
    } else if (*at == '}' || *at == ']') {
      depth--;
      at++;
    } else if (depth) {
      at++;
    } else {
      while (at < end && !strchr(" \t\r\n,]}", *at)) at++;
    }
  } while (depth);
  return at;
}

static sp_value sp__next_value(const char **at, const char *end) {
  const char *start = sp__space(*at, end);
  *at = sp__skip(start, end);
  sp_value value = {start, (size_t)(*at - start)};
  return value;
}

sp_iterator sp_each(sp_value from) {
  sp_type type = sp_type_of(from);
  sp_iterator iterator = {sp__nothing, sp__nothing, NULL, NULL};
  if (type != SP_ARRAY && type != SP_OBJECT) return iterator;
  iterator.at = from.start;
  iterator.end = from.start + from.length;
  return iterator;
}

bool sp_next(sp_iterator *i) {
  if (!i->at) return false;
  // At the opening bracket, at a comma, or at the closing bracket; the first one may be followed by the last.
  bool object = i->end[-1] == '}';
  const char *at = sp__space(i->at, i->end);
  if (at == i->end - 1) return false;
  at = sp__space(at + 1, i->end);
  if (at == i->end - 1) return false;
  if (object) {
    i->key = sp__next_value(&at, i->end);
    at = sp__space(at, i->end) + 1;
  }
  i->value = sp__next_value(&at, i->end);
  i->at = at;
  return true;
}

sp_value sp_member(sp_value object, const char *key) {
  sp_value found = sp__nothing;
  if (sp_type_of(object) != SP_OBJECT) return found;
  sp_iterator i = sp_each(object);
  while (sp_next(&i))
    if (sp_is_text(i.key, key)) found = i.value;
  return found;
}

sp_value sp_item(sp_value array, size_t index) {
  if (sp_type_of(array) != SP_ARRAY) return sp__nothing;
  sp_iterator i = sp_each(array);
  while (sp_next(&i))
    if (index-- == 0) return i.value;
  return sp__nothing;
}

bool sp_get_boolean(sp_value value, bool *out) {
  if (sp_type_of(value) != SP_BOOLEAN) return false;
  *out = *value.start == 't';
  return true;
}

bool sp_get_integer(sp_value value, int64_t *out) {
  if (sp_type_of(value) != SP_NUMBER) return false;
  bool negative = *value.start == '-';
  uint64_t sum = 0;
  for (size_t i = negative; i < value.length; i++) {
    if (!sp__is_digit(value.start[i])) return false;
    uint64_t digit = (uint64_t)(value.start[i] - '0');
    if (sum > (UINT64_MAX - digit) / 10) return false;
    sum = sum * 10 + digit;
  }
  if (sum > (uint64_t)INT64_MAX + negative) return false;
  *out = negative ? (int64_t)(0 - sum) : (int64_t)sum;
  return true;
}

bool sp_get_number(sp_value value, double *out) {
  // A copy, for strtod wants a zero byte at the end; numbers of more than 63 characters are rare.
  char text[64];
  if (sp_type_of(value) != SP_NUMBER) return false;
  if (value.length < sizeof text) {
    memcpy(text, value.start, value.length);
    text[value.length] = 0;
    *out = strtod(text, NULL);
    return true;
  }
  char *copy = (char *)malloc(value.length + 1);
  if (!copy) return false;
  memcpy(copy, value.start, value.length);
  copy[value.length] = 0;
  *out = strtod(copy, NULL);
  free(copy);
  return true;
}

static uint32_t sp__hex4(const char *at) {
  uint32_t code = 0;
  for (int i = 0; i < 4; i++) {
    char c = at[i];
    code = code * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
  }
  return code;
}

static int sp__utf8(uint32_t code, char *out) {
  if (code < 0x80) return out[0] = (char)code, 1;
  if (code < 0x800) return out[0] = (char)(0xc0 | code >> 6), out[1] = (char)(0x80 | (code & 63)), 2;
  out[0] = (char)(0xe0 | code >> 12);
  if (code < 0x10000) return out[1] = (char)(0x80 | (code >> 6 & 63)), out[2] = (char)(0x80 | (code & 63)), 3;
  out[0] = (char)(0xf0 | code >> 18);
  out[1] = (char)(0x80 | (code >> 12 & 63));
  out[2] = (char)(0x80 | (code >> 6 & 63));
  out[3] = (char)(0x80 | (code & 63));
  return 4;
}

// Decodes one character of a string into at most four bytes and moves on. A lone surrogate becomes U+FFFD.
static int sp__character(const char **from, char *out) {
  const char *at = *from;
  if (*at != '\\') {
    out[0] = *at;
    *from = at + 1;
    return 1;
  }
  *from = at + 2;
  switch (at[1]) {
  case 'b': return out[0] = '\b', 1;
  case 'f': return out[0] = '\f', 1;
  case 'n': return out[0] = '\n', 1;
  case 'r': return out[0] = '\r', 1;
  case 't': return out[0] = '\t', 1;
  case 'u': break;
  default: return out[0] = at[1], 1;
  }
  uint32_t code = sp__hex4(at + 2);
  *from = at + 6;
  if (code >= 0xd800 && code < 0xdc00 && at[6] == '\\' && at[7] == 'u') {
    uint32_t low = sp__hex4(at + 8);
    if (low >= 0xdc00 && low < 0xe000) {
      *from = at + 12;
      return sp__utf8(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), out);
    }
  }
  return sp__utf8(code >= 0xd800 && code < 0xe000 ? 0xfffd : code, out);
}

size_t sp_text(sp_value value, char *out, size_t capacity) {
  if (sp_type_of(value) != SP_STRING) return SIZE_MAX;
  const char *at = value.start + 1, *end = value.start + value.length - 1;
  size_t length = 0, kept = 0;
  bool full = capacity == 0;
  while (at < end) {
    char bytes[4];
    size_t count = (size_t)sp__character(&at, bytes);
    // Cut between characters that were escapes; never past the room for the zero byte.
    full = full || kept + count > capacity - 1;
    if (!full) {
      memcpy(out + kept, bytes, count);
      kept += count;
    }
    length += count;
  }
  if (capacity) out[kept] = 0;
  return length;
}

bool sp_is_text(sp_value value, const char *text) {
  if (sp_type_of(value) != SP_STRING) return false;
  const char *at = value.start + 1, *end = value.start + value.length - 1;
  while (at < end) {
    char bytes[4];
    int count = sp__character(&at, bytes);
    if (strncmp(text, bytes, (size_t)count) || memchr(bytes, 0, (size_t)count)) return false;
    text += count;
  }
  return *text == 0;
}

static int sp__sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t sp_get_bytes(sp_value value, void *out, size_t capacity) {
  sp_value text = sp_member(value, "$bytes");
  sp_iterator members = sp_each(value);
  if (sp_type_of(text) != SP_STRING || !sp_next(&members) || sp_next(&members)) return SIZE_MAX;
  const char *at = text.start + 1, *end = text.start + text.length - 1;
  if ((end - at) % 4) return SIZE_MAX;
  size_t length = 0;
  for (; at < end; at += 4) {
    int padding = at + 4 == end ? (at[3] == '=') + (at[3] == '=' && at[2] == '=') : 0;
    uint32_t group = 0;
    for (int i = 0; i < 4; i++) {
      int sextet = i >= 4 - padding ? 0 : sp__sextet(at[i]);
      if (sextet < 0) return SIZE_MAX;
      group = group << 6 | (uint32_t)sextet;
    }
    for (int i = 0; i < 3 - padding; i++, length++)
      if (length < capacity) ((unsigned char *)out)[length] = (unsigned char)(group >> (16 - 8 * i));
  }
  return length;
}

// ---- The door

#ifndef SALLYPORT_NO_DOOR

__attribute__((import_module("host"), import_name("call"))) int32_t
sp__host_call(const void *request, size_t length, void *out_pointer, void *out_length);

// The host asks for room for an answer while sp_send waits. The room is used again for the next one.
#ifdef SALLYPORT_ANSWER_BYTES
static char sp__room[SALLYPORT_ANSWER_BYTES];
__attribute__((export_name("host_alloc"))) void *host_alloc(size_t length) {
  return length <= sizeof sp__room ? sp__room : NULL;
}
#else
static char *sp__room;
static size_t sp__room_length;
__attribute__((export_name("host_alloc"))) void *host_alloc(size_t length) {
  if (length > sp__room_length || !sp__room) {
    char *larger = (char *)realloc(sp__room, length ? length : 1);
    if (!larger) return NULL;
    sp__room = larger;
    sp__room_length = length;
  }
  return sp__room;
}
#endif

static int64_t sp__id;

static const char *const sp__names[] = {
    "ok",      "protocol",  "unknown_tool", "invalid_arguments", "denied", "tool_error", "timeout",
    "cancelled", "too_large", "budget_exceeded", "other", "no_host", "no_answer", "not_sent",
};

const char *sp_status_name(sp_status status) { return sp__names[status]; }

static sp_writer sp__frame(char *buffer, size_t capacity, const char *operation) {
  sp_writer frame = sp_write(buffer, capacity);
  sp_begin_object(&frame);
  sp_key(&frame, "v");
  sp_integer(&frame, 1);
  sp_key(&frame, "id");
  sp_integer(&frame, ++sp__id);
  sp_key(&frame, "op");
  sp_string(&frame, operation);
  return frame;
}

sp_writer sp_call(char *buffer, size_t capacity, const char *tool) {
  sp_writer frame = sp__frame(buffer, capacity, "call");
  sp_key(&frame, "tool");
  sp_string(&frame, tool);
  sp_key(&frame, "args");
  sp_begin_object(&frame);
  return frame;
}

sp_writer sp_call_raw(char *buffer, size_t capacity, const char *tool, const char *args, size_t length) {
  sp_writer frame = sp_call(buffer, capacity, tool);
  sp_value object = sp_read(args, length);
  if (sp_type_of(object) != SP_OBJECT) {
    frame.failed = true;
    return frame;
  }
  // The braces are the frame's own.
  sp__put(&frame, object.start + 1, object.length - 2);
  return frame;
}

static sp_value sp__literal(const char *json) {
  sp_value value = {json, strlen(json)};
  return value;
}

static sp_answer sp__failure(sp_status status, const char *message) {
  sp_answer answer = {status, sp__nothing, sp__nothing, sp__literal(message)};
  if (status == SP_PROTOCOL) answer.kind = sp__literal("\"protocol\"");
  return answer;
}

// Whether every object that is nothing but "$bytes" holds base64, so that all halves refuse the same answers.
static bool sp__bytes_hold(sp_value value) {
  const char *at = value.start, *end = value.start + value.length;
  while (at < end) {
    if (*at == '"') {
      at = sp__skip_string(at);
      continue;
    }
    const char *inside = sp__space(at + 1, end);
    if (*at == '{' && *inside == '"') {
      sp_value object = {at, 0};
      sp_value key = sp__next_value(&inside, end);
      if (sp_is_text(key, "$bytes")) {
        inside = sp__space(inside, end) + 1;
        sp__next_value(&inside, end);
        inside = sp__space(inside, end);
        object.length = (size_t)(inside + 1 - at);
        if (*inside == '}' && sp_get_bytes(object, NULL, 0) == SIZE_MAX) return false;
      }
    }
    at++;
  }
  return true;
}

static sp_answer sp__judge(sp_value answer, const char *member) {
  int64_t version = 0, id = -1;
  bool ok = false;
  if (sp_type_of(answer) != SP_OBJECT) return sp__failure(SP_PROTOCOL, "\"the answer is no JSON object\"");
  if (!sp_get_integer(sp_member(answer, "v"), &version) || version != 1)
    return sp__failure(SP_PROTOCOL, "\"the answer has another version\"");
  bool known = sp_get_boolean(sp_member(answer, "ok"), &ok);
  sp_value echoed = sp_member(answer, "id");
  bool ours = sp_get_integer(echoed, &id) && id == sp__id;
  // A frame that the host could not read is answered with the id null.
  if (!ours && (!known || ok || sp_type_of(echoed) != SP_NULL))
    return sp__failure(SP_PROTOCOL, "\"the answer is to another frame\"");
  sp_value error = sp_member(answer, "error");
  sp_answer result = {SP_OTHER, sp__nothing, sp_member(error, "kind"), sp_member(error, "message")};
  if (known && ok) {
    result.status = SP_OK;
    result.value = sp_member(answer, member);
    result.kind = result.message = sp__nothing;
    if (!sp__bytes_hold(result.value)) return sp__failure(SP_PROTOCOL, "\"the answer has $bytes without base64\"");
    if (result.value.start) return result;
  } else if (known && sp_type_of(result.kind) == SP_STRING && sp_type_of(result.message) == SP_STRING) {
    for (int status = SP_PROTOCOL; status <= SP_BUDGET_EXCEEDED; status++)
      if (sp_is_text(result.kind, sp__names[status])) result.status = (sp_status)status;
    return result;
  }
  return sp__failure(SP_PROTOCOL, "\"the answer has neither a result nor an error\"");
}

static sp_answer sp__exchange(sp_writer *frame, const char *member) {
  const char *answer = NULL;
  size_t length = 0;
  sp_end_object(frame);
  if (frame->failed) return sp__failure(SP_NOT_SENT, "\"the frame did not fit its buffer, or is no JSON\"");
  int32_t code = sp__host_call(frame->start, frame->length, &answer, &length);
  if (code == -1) return sp__failure(SP_NO_HOST, "\"no host answers\"");
  if (code != 0) return sp__failure(SP_NO_ANSWER, "\"the host failed\"");
  return sp__judge(sp_read(answer, length), member);
}

sp_answer sp_send(sp_writer *call) {
  sp_end_object(call);
  return sp__exchange(call, "value");
}

sp_answer sp_list(void) {
  char buffer[64];
  sp_writer frame = sp__frame(buffer, sizeof buffer, "list");
  return sp__exchange(&frame, "tools");
}

#endif

// ---- HTTP

__attribute__((import_module("subako_http"), import_name("request"))) int32_t sp__http_request(const void *request,
                                                                                                int32_t length);
__attribute__((import_module("subako_http"), import_name("read_response"))) int32_t sp__http_read(void *answer,
                                                                                                   int32_t length);

sp_writer sp_http(char *buffer, size_t capacity, const char *method, const char *url) {
  sp_writer request = sp_write(buffer, capacity);
  sp_begin_object(&request);
  sp_key(&request, "method");
  sp_string(&request, method);
  sp_key(&request, "url");
  sp_string(&request, url);
  return request;
}

int32_t sp_http_send(sp_writer *request) {
  sp_end_object(request);
  if (request->failed) return -4;
  return sp__http_request(request->start, (int32_t)request->length);
}

sp_value sp_http_read(char *buffer, int32_t length) {
  if (length < 0 || sp__http_read(buffer, length) != 0) return sp__nothing;
  return sp_read(buffer, (size_t)length);
}

#endif // SALLYPORT_IMPLEMENTATION
