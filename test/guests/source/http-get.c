// Guest: HTTP with the C half and without a door. argv: URL NAME VALUE (a header). Prints the status, the content type and
// the inline body, a line each; a failure is "kind: message" on stderr and exit code 1.
#define SALLYPORT_NO_DOOR
#define SALLYPORT_IMPLEMENTATION
#include "sallyport.h"

static char request[4096];

static void print(FILE *to, sp_value value, const char *after) {
  size_t length = sp_text(value, NULL, 0);
  if (length == SIZE_MAX) length = 0;
  char *text = malloc(length + 1);
  if (!text) abort();
  sp_text(value, text, length + 1);
  fwrite(text, 1, length, to);
  fputs(after, to);
  free(text);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  sp_writer to = sp_http(request, sizeof request, "GET", argv[1]);
  if (argc > 3) {
    sp_key(&to, "headers");
    sp_begin_object(&to);
    sp_key(&to, argv[2]);
    sp_string(&to, argv[3]);
    sp_end_object(&to);
  }
  int32_t length = sp_http_send(&to);
  if (length < 0) return fprintf(stderr, "abi: %d\n", (int)length), 1;
  char *answer = malloc((size_t)length + 1);
  if (!answer) abort();
  sp_value read = sp_http_read(answer, length), ok = sp_member(read, "ok"), error = sp_member(read, "error");
  if (sp_type_of(ok) != SP_OBJECT) {
    print(stderr, sp_member(error, "kind"), ": ");
    print(stderr, sp_member(error, "message"), "\n");
    return 1;
  }
  int64_t status = 0;
  sp_get_integer(sp_member(ok, "status"), &status);
  printf("%d\n", (int)status);
  print(stdout, sp_member(sp_member(ok, "headers"), "content-type"), "\n");
  print(stdout, sp_member(sp_member(ok, "body"), "text"), "\n");
  return 0;
}
