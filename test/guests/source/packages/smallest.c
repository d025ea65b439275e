// Guest: the function package of docs/package-authors.md, to the letter: `greet({name})` answers with the name.
#define SALLYPORT_IMPLEMENTATION
#include "sallyport_package.h"

static void greet(sp_value args, sp_result *result) {
  char name[200];
  if (sp_text(sp_member(args, "name"), name, sizeof name) - 1 >= sizeof name - 1) {
    sp_fail(result, "name must be a text of 1 to 199 bytes");
    return;
  }
  sp_add_text(result, name);
}

static const sp_tool tools[] = {
    {"greet", "Greet someone by name.",
     "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}", NULL, greet},
};
int main(void) { return sp_serve(tools, sizeof tools / sizeof *tools); }
