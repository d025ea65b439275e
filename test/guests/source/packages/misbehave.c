// Guest: a function package that breaks any rule of ABI 1. `act({how, n, path, text})` does what `how` names; the file
// /package/how ("STEP HOW N", STEP is discover or list) makes it do so while it is asked for its tools.
#define _GNU_SOURCE // nanosleep
#define SALLYPORT_IMPLEMENTATION
#pragma clang diagnostic ignored "-Wunused-result"
#pragma clang diagnostic ignored "-Winfinite-recursion"
#include "sallyport_package.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <wasi/api.h>

static char line[1 << 20];
static size_t filled, used;
static char id_text[80];
static int calls;

// The next byte of stdin; -1 at its end.
static int next_byte(void) {
  if (used == filled) {
    ssize_t count = read(0, line, sizeof line);
    if (count <= 0) return -1;
    filled = (size_t)count;
    used = 0;
  }
  return (unsigned char)line[used++];
}

// A line without its newline, in a buffer that is used again; false at the end of stdin.
static char *request;
static size_t request_length, request_capacity;
static bool next_line(void) {
  request_length = 0;
  for (;;) {
    int byte = next_byte();
    if (byte < 0) return false;
    if (byte == '\n') return true;
    if (request_length == request_capacity) {
      request_capacity = request_capacity ? 2 * request_capacity : 1 << 12;
      request = realloc(request, request_capacity);
    }
    request[request_length++] = (char)byte;
  }
}

static void put(const char *text) { sp__print(text, strlen(text)); }
static void put_n(const char *text, size_t length) { sp__print(text, length); }

static void head(void) {
  put("{\"jsonrpc\":\"2.0\",\"id\":");
  put(id_text);
  put(",\"result\":");
}

static void answer(const char *result) {
  head();
  put(result);
  put("}\n");
}

static bool aloud; // on stderr, too: a listing that is none is shown nowhere

static void say(const char *text) {
  if (aloud) write(2, text, strlen(text));
  static char json[1 << 16];
  sp_writer to = sp_write(json, sizeof json - 1);
  sp_begin_object(&to);
  sp_key(&to, "content");
  sp_begin_array(&to);
  sp_begin_object(&to);
  sp_key(&to, "type");
  sp_string(&to, "text");
  sp_key(&to, "text");
  sp_string(&to, text);
  sp_end_object(&to);
  sp_end_array(&to);
  sp_end_object(&to);
  json[to.length] = 0;
  answer(json);
}

static void say_number(int64_t number) {
  char text[32];
  sp_writer to = sp_write(text, sizeof text - 1);
  sp_integer(&to, number);
  text[to.length] = 0;
  say(text);
}

static void sleep_ms(int64_t ms) {
  struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
  nanosleep(&time, NULL);
}

static void fill(int fd, int64_t bytes) {
  static char block[4096];
  memset(block, ' ', sizeof block);
  for (; bytes > 0; bytes -= (int64_t)sizeof block) {
    size_t part = bytes < (int64_t)sizeof block ? (size_t)bytes : sizeof block;
    if (write(fd, block, part) < 0) return;
  }
}

// A message of exactly n bytes, its newline included.
static void sized(int64_t n) {
  char tail[] = "\",\"content\":[]}}\n";
  size_t start = sizeof "{\"jsonrpc\":\"2.0\",\"id\":,\"result\":{\"fill\":\"" - 1 + strlen(id_text);
  head();
  put("{\"fill\":\"");
  fill(1, n - (int64_t)start - (int64_t)sizeof tail + 1);
  put(tail);
}

// What the guest was given: argc, argv[0], variables, preopens.
static void environment(void) {
  static char text[8192], arguments[4096], *pointers[64];
  size_t argc = 0, bytes = 0, variables = 0, variable_bytes = 0;
  sp_writer to = sp_write(text, sizeof text - 1);
  __wasi_args_sizes_get(&argc, &bytes);
  __wasi_environ_sizes_get(&variables, &variable_bytes);
  sp_begin_object(&to);
  sp_key(&to, "argv");
  sp_begin_array(&to);
  if (argc <= 64 && bytes <= sizeof arguments) {
    __wasi_args_get((uint8_t **)pointers, (uint8_t *)arguments);
    for (size_t i = 0; i < argc; i++) sp_string(&to, pointers[i]);
  }
  sp_end_array(&to);
  sp_key(&to, "variables");
  sp_integer(&to, (int64_t)variables);
  sp_key(&to, "preopens");
  sp_begin_array(&to);
  for (__wasi_fd_t fd = 3;; fd++) {
    __wasi_prestat_t prestat;
    char name[256];
    if (__wasi_fd_prestat_get(fd, &prestat) != 0 || prestat.u.dir.pr_name_len > sizeof name) break;
    __wasi_fd_prestat_dir_name(fd, (uint8_t *)name, prestat.u.dir.pr_name_len);
    sp_string_n(&to, name, prestat.u.dir.pr_name_len);
  }
  sp_end_array(&to);
  sp_end_object(&to);
  text[to.length] = 0;
  say(text);
}

static void list_folder(const char *path) {
  static char text[1 << 15];
  sp_writer to = sp_write(text, sizeof text - 1);
  DIR *folder = opendir(path);
  sp_begin_array(&to);
  for (struct dirent *entry; folder && (entry = readdir(folder));) sp_string(&to, entry->d_name);
  sp_end_array(&to);
  text[to.length] = 0;
  if (folder) closedir(folder), say(text);
  else say_number(errno);
}

static void read_file(const char *path) {
  static char text[1 << 15];
  int fd = open(path, O_RDONLY);
  ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (length < 0) {
    say_number(errno);
    return;
  }
  text[length] = 0;
  close(fd);
  say(text);
}

// The errno of writing `text`, or n times 64 KiB.
static int write_file(const char *path, const char *text, int64_t n) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) return errno;
  int problem = *text && write(fd, text, strlen(text)) < 0 ? errno : 0;
  static char block[1 << 16];
  for (int64_t i = 0; i < n && !problem; i++)
    if (write(fd, block, sizeof block) != (ssize_t)sizeof block) problem = errno ? errno : -1;
  close(fd);
  return problem;
}

// As many times 1 MiB rewritten in place as the budget allows, at most n, and then `more`; the errno of either.
static void rewrite(const char *path, int64_t n, const char *more) {
  static char block[1 << 20];
  int fd = open(path, O_WRONLY | O_CREAT, 0644), problem = fd < 0 ? errno : 0;
  int64_t done = 0;
  for (; done < n && !problem; done++) {
    lseek(fd, 0, SEEK_SET);
    if (write(fd, block, sizeof block) < 0) problem = errno;
  }
  if (problem) done--;
  else if (write(fd, more, strlen(more)) < 0) problem = errno;
  char text[64];
  snprintf(text, sizeof text, "%lld %d", (long long)done, problem);
  say(text);
}

// Sends an HTTP request document as it stands, and says the answer.
static void http(const char *document) {
  static char text[1 << 15];
  int32_t length = sp__http_request(document, (int32_t)strlen(document));
  if (length < 0 || length >= (int32_t)sizeof text || sp__http_read(text, length) != 0) {
    say_number(length);
    return;
  }
  text[length] = 0;
  say(text);
}

// The errno of each function of sockets, for a descriptor that is none.
static void sockets(int fd) {
  uint8_t byte = 0;
  __wasi_iovec_t in = {&byte, 1};
  __wasi_ciovec_t out = {&byte, 1};
  __wasi_size_t size;
  __wasi_roflags_t flags;
  __wasi_fd_t accepted;
  char text[64];
  snprintf(text, sizeof text, "%d %d %d %d", __wasi_sock_accept(fd, 0, &accepted), __wasi_sock_recv(fd, &in, 1, 0, &size, &flags),
           __wasi_sock_send(fd, &out, 1, 0, &size), __wasi_sock_shutdown(fd, __WASI_SDFLAGS_RD));
  say(text);
}

static int64_t open_descriptors(void) {
  int64_t count = 0;
  while (count < 1000 && open("/volume/tmp", O_RDONLY | O_DIRECTORY) >= 0) count++;
  return count;
}

__attribute__((noinline)) static int recurse(volatile int *deep) {
  volatile int more = *deep + 1;
  return recurse(&more) + more;
}

static void spin(void) {
  for (volatile uint64_t count = 0;; count++) {
  }
}

static char *volatile kept; // what nobody keeps, the compiler leaves out

static void grow(void) {
  for (;;) {
    char *block = malloc(1 << 20);
    if (!block) __builtin_trap();
    memset(block, 1, 1 << 20);
    kept = block;
  }
}

// What breaks before or instead of an answer. False when `how` is nothing of the kind.
static bool break_protocol(const char *how, int64_t n) {
#define HOW(name) (!strcmp(how, name))
  if (HOW("error")) {
    put("{\"jsonrpc\":\"2.0\",\"id\":");
    put(id_text);
    put(",\"error\":{\"code\":-32602,\"message\":\"no such tool\"}}\n");
  } else if (HOW("result-type")) answer("{\"resultType\":\"input_required\",\"content\":[]}");
  else if (HOW("no-content")) answer("{}");
  else if (HOW("noise")) put("starting up\n"), say("after noise");
  else if (HOW("blank")) put("\n"), say("after a blank line");
  else if (HOW("latin")) put("\xe9\n");
  else if (HOW("wrong-id")) strcpy(id_text, "\"other\""), say("to another");
  else if (HOW("number-id")) strcpy(id_text, "7"), say("to a number");
  else if (HOW("twice")) say("once"), say("twice");
  else if (HOW("request")) put("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\"}\n"), sleep_ms(60000);
  else if (HOW("early")) exit((int)n);
  else if (HOW("code")) say("and out"), exit((int)n);
  else if (HOW("linger")) say("and stay"), sleep_ms(n), exit(0);
  else if (HOW("linger-spin")) say("and stay"), spin();
  else if (HOW("trap")) __builtin_trap();
  else if (HOW("trap-late")) say("and trap"), __builtin_trap();
  else if (HOW("overflow")) say_number(recurse(&(int){0}));
  else if (HOW("grow")) grow();
  else if (HOW("spin")) spin();
  else if (HOW("sleep")) sleep_ms(n), say("slept");
  else if (HOW("until-end")) { while (next_byte() >= 0) {} say("never"); }
  else if (HOW("flood")) for (;;) fill(1, 1 << 16);
  else if (HOW("no-newline")) { head(); put("{\"content\":[]}}"); exit(0); }
  else if (HOW("tail")) say("and more"), put("tail"), exit(0);
  else if (HOW("pretty")) put("{\n  \"jsonrpc\": \"2.0\"\n}\n");
  else if (HOW("deep")) { head(); for (int64_t i = 0; i < n; i++) put("["); exit(0); }
  else return false;
#undef HOW
  return true;
}

// What a good package may do. False when `how` is nothing of the kind.
static bool behave(const char *how, int64_t n, const char *path, const char *text) {
#define HOW(name) (!strcmp(how, name))
  if (HOW("say")) say(text);
  else if (HOW("fail")) answer("{\"content\":[{\"type\":\"text\",\"text\":\"on purpose\"}],\"isError\":true}");
  else if (HOW("plain")) answer("{\"content\":[],\"structuredContent\":[1,\"two\",null]}");
  else if (HOW("notify")) {
    put("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n");
    say("notified");
    put("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n");
  } else if (HOW("sized")) sized(n);
  else if (HOW("stderr")) { fill(2, n); put("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n"); write(2, text, strlen(text)); exit(3); }
  else if (HOW("log")) write(2, text, strlen(text)), say("logged");
  else if (HOW("count")) say_number(++calls);
  else if (HOW("pages")) say_number((int64_t)__builtin_wasm_memory_size(0));
  else if (HOW("environment")) environment();
  else if (HOW("http")) http(text);
  else if (HOW("list")) list_folder(path);
  else if (HOW("read")) read_file(path);
  else if (HOW("write")) say_number(write_file(path, text, n));
  else if (HOW("rewrite")) rewrite(path, n, text);
  else if (HOW("allocate")) {
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    say_number(__wasi_fd_allocate(fd, 0, 4096));
  } else if (HOW("mkdir")) say_number(mkdir(path, 0755) ? errno : 0);
  else if (HOW("rmdir")) say_number(rmdir(path) ? errno : 0);
  else if (HOW("unlink")) say_number(unlink(path) ? errno : 0);
  else if (HOW("rename")) say_number(rename(path, text) ? errno : 0);
  else if (HOW("symlink")) say_number(symlink(text, path) ? errno : 0);
  else if (HOW("write-then")) { // keeps what it wrote only if the call completes
    write_file(path, "half", 0);
    return break_protocol(text, n);
  } else if (HOW("link")) {
    head();
    put("{\"content\":[{\"type\":\"resource_link\",\"name\":\"it\",\"uri\":\"");
    put(text);
    put("\"}]}}\n");
  } else if (HOW("result")) {
    head();
    put(text);
    put("}\n");
  } else if (HOW("sockets")) sockets((int)n);
  else if (HOW("descriptors")) say_number(open_descriptors());
  else if (HOW("poll")) {
    struct pollfd in = {0, POLLIN, 0};
    int before = poll(&in, 1, (int)n);
    say_number(before);
    in.revents = 0;
    // Once it has answered, the end of stdin is there.
    if (poll(&in, 1, 1000) != 1 || next_byte() >= 0) exit(9);
    exit(0);
  } else return false;
#undef HOW
  return true;
}

static void act(sp_value args) {
  static char how[64], path[512], text[1 << 14];
  int64_t n = 0;
  path[0] = text[0] = 0;
  sp_text(sp_member(args, "how"), how, sizeof how);
  sp_text(sp_member(args, "path"), path, sizeof path);
  sp_text(sp_member(args, "text"), text, sizeof text);
  sp_get_integer(sp_member(args, "n"), &n);
  if (!break_protocol(how, n) && !behave(how, n, path, text)) say("nothing of that kind");
}

// One page of n: a tool that is named after its number, and a cursor unless it is the last.
static void list_page(int64_t n) {
  static int64_t page;
  char text[256];
  page++;
  snprintf(text, sizeof text, "{\"tools\":[{\"name\":\"t%lld\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\"}}]%s}",
           (long long)page, page < n ? ",\"nextCursor\":\"more\"" : "");
  answer(text);
}

// Does what /package/how says for this step; true when that answered.
static bool planned(const char *step) {
  char plan[128] = {0};
  int fd = open("/package/how", O_RDONLY);
  if (fd < 0 || read(fd, plan, sizeof plan - 1) <= 0) return false;
  close(fd);
  char *how = strchr(plan, ' ');
  if (!how) return false;
  *how++ = 0;
  char *number = strchr(how, ' ');
  if (number) *number++ = 0;
  if (strcmp(plan, step)) return false;
  int64_t n = number ? strtoll(number, NULL, 10) : 0;
  if (!strcmp(how, "wait")) return sleep_ms(n), false;
  if (!strcmp(how, "pages")) return list_page(n), true;
  aloud = true;
  return break_protocol(how, n) || behave(how, n, "/", "{\"url\":\"https://example.com/\"}");
}

// /package/tools, when it is there, is the answer to tools/list as it stands.
static bool given_tools(void) {
  static char text[1 << 19];
  int fd = open("/package/tools", O_RDONLY);
  size_t length = 0;
  if (fd < 0) return false;
  for (ssize_t count; (count = read(fd, text + length, sizeof text - length)) > 0;) length += (size_t)count;
  close(fd);
  head();
  put_n(text, length);
  put("}\n");
  return true;
}

int main(void) {
  while (next_line()) {
    sp_value message = sp_read(request, request_length);
    sp_value method = sp_member(message, "method"), id = sp_member(message, "id");
    if (!id.start || id.length >= sizeof id_text) continue;
    memcpy(id_text, id.start, id.length);
    id_text[id.length] = 0;
    if (sp_is_text(method, "server/discover")) {
      if (!planned("discover")) answer("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}");
    } else if (sp_is_text(method, "tools/list")) {
      if (!planned("list") && !given_tools())
        answer("{\"tools\":[{\"name\":\"act\",\"description\":\"Breaks a rule.\",\"inputSchema\":{\"type\":\"object\"}}]}");
    } else {
      act(sp_member(sp_member(message, "params"), "arguments"));
    }
  }
  return 0;
}
