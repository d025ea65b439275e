// Guest: checks sallyport.h itself, with a static answer buffer of 256 bytes. Prints each wrong check, then "checked N".
// Its door calls `big({"size": N})` (200, then 2000), whose answer is a string of N "x".
#define SALLYPORT_ANSWER_BYTES 256
#define SALLYPORT_IMPLEMENTATION
#include "sallyport.h"

static int checked;

static void check(bool right, const char *what) {
  checked++;
  if (!right) printf("wrong: %s\n", what);
}
#define CHECK(right) check(right, #right)

static sp_value json(const char *text) { return sp_read(text, strlen(text)); }

static bool wrote(sp_writer to, const char *text) {
  return !to.failed && to.length == strlen(text) && !memcmp(to.start, text, to.length);
}

static void writing(void) {
  char buffer[256];
  sp_writer to = sp_write(buffer, sizeof buffer);
  sp_begin_object(&to);
  sp_key(&to, "a\"b");
  sp_begin_array(&to);
  sp_integer(&to, INT64_MIN);
  sp_integer(&to, 0);
  sp_integer(&to, INT64_MAX);
  sp_number(&to, 0.5);
  sp_boolean(&to, true);
  sp_null(&to);
  sp_begin_array(&to);
  sp_end_array(&to);
  sp_end_array(&to);
  sp_key(&to, "b");
  sp_string_n(&to, "x\0\n", 3);
  sp_key(&to, "c");
  sp_bytes(&to, "\0\xff\xfe\xfd", 4);
  sp_end_object(&to);
  CHECK(wrote(to, "{\"a\\u0022b\":[-9223372036854775808,0,9223372036854775807,0.5,true,null,[]],"
                  "\"b\":\"x\\u0000\\u000a\",\"c\":{\"$bytes\":\"AP/+/Q==\"}}"));
  // Every size too small fails, and nothing is written past the end.
  for (size_t room = 0; room <= 9; room++) {
    memset(buffer, '#', sizeof buffer);
    to = sp_write(buffer, room);
    sp_string(&to, "1234567");
    CHECK(to.failed == (room < 9) && buffer[room] == '#');
  }
  double zero = 0;
  to = sp_write(buffer, sizeof buffer);
  sp_number(&to, 1 / zero);
  CHECK(to.failed);
  to = sp_write(buffer, sizeof buffer);
  sp_number(&to, zero / zero);
  CHECK(to.failed);
}

static void numbers(void) {
  int64_t integer = 7;
  double number = 0;
  CHECK(sp_get_integer(json("9223372036854775807"), &integer) && integer == INT64_MAX);
  CHECK(sp_get_integer(json("-9223372036854775808"), &integer) && integer == INT64_MIN);
  CHECK(sp_get_integer(json("-0"), &integer) && integer == 0);
  CHECK(!sp_get_integer(json("9223372036854775808"), &integer));
  CHECK(!sp_get_integer(json("-9223372036854775809"), &integer));
  CHECK(!sp_get_integer(json("18446744073709551616"), &integer));
  CHECK(!sp_get_integer(json("5.0"), &integer) && !sp_get_integer(json("5e0"), &integer));
  CHECK(!sp_get_integer(json("\"5\""), &integer) && integer == 0);
  CHECK(sp_get_number(json("-1.5e3"), &number) && number == -1500);
  CHECK(sp_get_number(json("0.00000000000000000000000000000000000000000000000000000000000000000000001e71"), &number));
  CHECK(number > 0.999999 && number < 1.000001);
  CHECK(!sp_get_number(json("null"), &number));
}

static void texts(void) {
  char text[8];
  uint8_t bytes[4] = {9, 9, 9, 9};
  CHECK(sp_text(json("\"a\\u00e9\\ud83c\\udf88\\ud800z\""), NULL, 0) == 11);
  CHECK(sp_text(json("\"\\u00e9\\u00e9\\u00e9\\u00e9\""), text, sizeof text) == 8);
  // Cut before a character that has no room, and ended.
  CHECK(!memcmp(text, "\xc3\xa9\xc3\xa9\xc3\xa9\0", 7));
  CHECK(sp_text(json("5"), text, sizeof text) == SIZE_MAX);
  CHECK(sp_is_text(json("\"\\u0061b\""), "ab") && !sp_is_text(json("\"ab\""), "a") && !sp_is_text(json("\"a\""), "ab"));
  CHECK(!sp_is_text(json("\"a\\u0000\""), "a"));
  CHECK(sp_get_bytes(json("{\"$bytes\":\"AQIDBA==\"}"), bytes, 3) == 4);
  CHECK(bytes[0] == 1 && bytes[1] == 2 && bytes[2] == 3 && bytes[3] == 9);
  CHECK(sp_get_bytes(json("{\"$bytes\":\"A===\"}"), bytes, 4) == SIZE_MAX);
  CHECK(sp_get_bytes(json("{\"$bytes\":\"====\"}"), bytes, 4) == SIZE_MAX);
  CHECK(sp_get_bytes(json("{\"$bytes\":\"AA==AA==\"}"), bytes, 4) == SIZE_MAX);
  CHECK(sp_get_bytes(json("{\"$bytes\":\"AA==\",\"b\":1}"), bytes, 4) == SIZE_MAX);
}

static void structure(void) {
  sp_value value = json(" { \"a\" : [ 1 , { } , [ ] , \"]\" ] , \"b\\n\" : 2, \"a\":{\"x\":[true]} } ");
  bool yes = false;
  sp_iterator none = sp_each(json("{ }"));
  CHECK(sp_type_of(value) == SP_OBJECT);
  CHECK(sp_get_boolean(sp_item(sp_member(sp_member(value, "a"), "x"), 0), &yes) && yes);
  CHECK(sp_type_of(sp_item(json("[ 1 , { } , [ ] , \"]\" ]"), 3)) == SP_STRING);
  CHECK(sp_type_of(sp_item(json("[1]"), 1)) == SP_NOTHING && sp_type_of(sp_item(json("[]"), 0)) == SP_NOTHING);
  CHECK(sp_type_of(sp_member(value, "c")) == SP_NOTHING && sp_type_of(sp_member(json("[]"), "c")) == SP_NOTHING);
  CHECK(!sp_next(&none));
  const char *const wrong[] = {"",   "{",    "[1,]", "{\"a\"}", "{\"a\":}", "{,}", "[1 2]", "01",  "-",     "1.",
                               "1e", "\"\t\"", "tru",  "[}",      "{]",       "]",   "\"\\u12g4\"", "\"", "{\"a\":1,}", "nul"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) check(!json(wrong[i]).start, wrong[i]);
  char deep[1100];
  memset(deep, '[', 512);
  memset(deep + 512, ']', 513);
  CHECK(sp_read(deep, 1024).start != NULL);
  memset(deep, '[', 514);
  memset(deep + 514, ']', 514);
  CHECK(sp_read(deep, 1028).start == NULL);
}

static sp_answer big(int64_t size) {
  char frame[128];
  sp_writer call = sp_call(frame, sizeof frame, "big");
  sp_key(&call, "size");
  sp_integer(&call, size);
  return sp_send(&call);
}

static void room(void) {
  char small[16];
  sp_writer call = sp_call(small, sizeof small, "big");
  CHECK(sp_send(&call).status == SP_NOT_SENT);
  sp_answer answer = big(200);
  CHECK(answer.status == SP_OK && sp_text(answer.value, NULL, 0) == 200);
  // The host finds no room for more than 256 bytes; the next call works again.
  CHECK(big(2000).status == SP_NO_ANSWER);
  CHECK(big(200).status == SP_OK);
}

int main(void) {
  writing();
  numbers();
  texts();
  structure();
  room();
  printf("checked %d\n", checked);
  return 0;
}
