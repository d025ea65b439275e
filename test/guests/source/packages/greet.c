// Guest: a function package in C with one tool, `greet({name})`; a name that is no text, empty or longer than 199 bytes is
// a result with isError.
#define SALLYPORT_IMPLEMENTATION
#include "sallyport_package.h"

static void greet(sp_value args, sp_result *result) {
  static char name[200], text[256], json[1600];
  if (sp_text(sp_member(args, "name"), name, sizeof name) - 1 >= sizeof name - 1) {
    sp_fail(result, "name must be a text of 1 to 199 bytes");
    return;
  }
  strcpy(text, "Hello, ");
  strcat(text, name);
  strcat(text, "!");
  sp_add_text(result, text);
  sp_writer structured = sp_write(json, sizeof json);
  sp_begin_object(&structured);
  sp_key(&structured, "message");
  sp_string(&structured, text);
  sp_end_object(&structured);
  sp_set_structured(result, json, structured.length);
}

static const sp_tool tools[] = {
    {"greet", "Greet someone by name.",
     "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"Who to greet.\"}},"
     "\"required\":[\"name\"]}",
     "{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"}},\"required\":[\"message\"]}", greet},
};

int main(void) { return sp_serve(tools, sizeof tools / sizeof *tools); }
