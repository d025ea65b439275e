// Guest: the C half. argv: nothing lists the tools, one name a line; TOOL ARGS (a JSON object, default {}) calls one and
// prints its value as compact JSON, read and written anew; a failure is "kind: message" on stderr and exit code 1.
#define SALLYPORT_IMPLEMENTATION
#include "sallyport.h"

// Read and written piece by piece, so that both directions of the header are used. Depth is bounded by sp_read.
static void copy(sp_writer *to, sp_value value) {
  size_t length;
  sp_iterator i = sp_each(value);
  switch (sp_type_of(value)) {
  case SP_STRING: {
    length = sp_text(value, NULL, 0);
    char *text = malloc(length + 1);
    if (!text) abort();
    sp_text(value, text, length + 1);
    sp_string_n(to, text, length);
    free(text);
    return;
  }
  case SP_ARRAY:
    sp_begin_array(to);
    while (sp_next(&i)) copy(to, i.value);
    sp_end_array(to);
    return;
  case SP_OBJECT: {
    length = sp_get_bytes(value, NULL, 0);
    if (length != SIZE_MAX) {
      char *bytes = malloc(length + 1);
      if (!bytes) abort();
      sp_get_bytes(value, bytes, length);
      sp_bytes(to, bytes, length);
      free(bytes);
      return;
    }
    sp_begin_object(to);
    while (sp_next(&i)) {
      copy(to, i.key);
      to->start[to->length++] = ':';
      copy(to, i.value);
    }
    sp_end_object(to);
    return;
  }
  default: {
    int64_t integer;
    if (sp_get_integer(value, &integer)) sp_integer(to, integer);
    else sp_raw(to, value.start, value.length);
  }
  }
}

static void print(sp_value value) {
  // A control character of one byte may come out as six.
  size_t capacity = 6 * value.length + 64;
  char *text = malloc(capacity);
  if (!text) abort();
  sp_writer to = sp_write(text, capacity);
  copy(&to, value);
  fwrite(text, 1, to.length, stdout);
  putchar('\n');
  free(text);
}

static void print_text(FILE *to, sp_value text) {
  size_t length = sp_text(text, NULL, 0);
  char *copied = malloc(length + 1);
  if (!copied) abort();
  sp_text(text, copied, length + 1);
  fwrite(copied, 1, length, to);
  free(copied);
}

static int fail(sp_answer answer) {
  if (answer.kind.start) print_text(stderr, answer.kind);
  else fputs(sp_status_name(answer.status), stderr);
  fputs(": ", stderr);
  print_text(stderr, answer.message);
  fputc('\n', stderr);
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    sp_answer answer = sp_list();
    if (answer.status != SP_OK) return fail(answer);
    sp_iterator tools = sp_each(answer.value);
    while (sp_next(&tools)) {
      print_text(stdout, sp_member(tools.value, "name"));
      putchar('\n');
    }
    return 0;
  }
  const char *args = argc > 2 ? argv[2] : "{}";
  size_t capacity = strlen(args) + strlen(argv[1]) + 128;
  char *frame = malloc(capacity);
  if (!frame) abort();
  sp_writer call = sp_call_raw(frame, capacity, argv[1], args, strlen(args));
  sp_answer answer = sp_send(&call);
  if (answer.status != SP_OK) return fail(answer);
  print(answer.value);
  return 0;
}
