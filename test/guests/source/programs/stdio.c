// Guest: what a C program does to files, time and streams; the tests build the same source natively and compare.
// argv: a writable folder, which has to be empty. Env GREETING, stdin "line one", "zwölf 12 0x1f", "rest". Exit code 5.
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Numbers and messages of errors differ from one C library to the next, the names do not.
static const char *name_of(int error) {
  switch (error) {
  case 0: return "ok";
  case EACCES: return "EACCES";
  case EBADF: return "EBADF";
  case EBUSY: return "EBUSY";
  case EEXIST: return "EEXIST";
  case EINVAL: return "EINVAL";
  case EISDIR: return "EISDIR";
  case ELOOP: return "ELOOP";
  case ENAMETOOLONG: return "ENAMETOOLONG";
  case ENOENT: return "ENOENT";
  case ENOTDIR: return "ENOTDIR";
  case ENOTEMPTY: return "ENOTEMPTY";
  case EPERM: return "EPERM";
  case ESPIPE: return "ESPIPE";
  default: return "another error";
  }
}

static void say(const char *what, long result) {
  printf("%s: %s\n", what, result < 0 ? name_of(errno) : "ok");
}

// One call a line: in which order a compiler takes the arguments of printf is its own affair.
static void say_number(const char *what, long value) {
  printf("%s: %ld\n", what, value);
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file)) say(path, -1);
}

static void show(const char *path) {
  char text[256];
  FILE *file = fopen(path, "r");
  if (!file) return say(path, -1);
  size_t size = fread(text, 1, sizeof text - 1, file);
  text[size] = 0;
  printf("%s has %zu: %s\n", path, size, text);
  fclose(file);
}

static void streams_of_files(void) {
  char line[64];
  int number = 0;
  double real = 0;
  FILE *file = fopen("stream", "w+");
  printf("%d\n", fprintf(file, "%d %.3f %s\n", 42, 1.0 / 3, "héllo"));
  fputs("second line\n", file);
  rewind(file);
  say_number("fscanf", fscanf(file, "%d %lf %63s", &number, &real, line));
  printf("%d %.3f %s\n", number, real, line);
  printf("%s", fgets(line, sizeof line, file) ? "rest of line\n" : "nothing\n");
  printf("%s", fgets(line, sizeof line, file));
  say_number("at the end", fgetc(file) == EOF);
  say_number("feof", feof(file) != 0);
  clearerr(file);
  say_number("feof after clearerr", feof(file) != 0);
  say_number("ftell", ftell(file));
  say_number("fseek", fseek(file, -5, SEEK_END));
  say_number("fgetc", fgetc(file));
  ungetc('Z', file);
  say_number("what was put back", fgetc(file));
  say_number("what follows", fgetc(file));
  fseek(file, 100, SEEK_SET);
  fputc('x', file);
  fflush(file);
  say_number("ftell", ftell(file));
  say_number("fclose", fclose(file));
  file = fopen("stream", "r");
  static char own[7];
  setvbuf(file, own, _IOFBF, sizeof own);
  long sum = 0;
  for (int c; (c = getc(file)) != EOF;) sum = (sum * 31 + c) % 1000003;
  say_number("sum", sum);
  say_number("writing what is for reading", fputc('!', file) == EOF && ferror(file));
  fclose(file);
  file = fopen("stream", "a+");
  fputs("end", file);
  say_number("ftell", ftell(file));
  fclose(file);
  say("fopen of nothing", fopen("none", "r") ? 0 : -1);
  say("fopen in nothing", fopen("none/x", "w") ? 0 : -1);
  say("fopen of what has to be new", fopen("stream", "wx") ? 0 : -1);
}

static void large_file(void) {
  static unsigned char block[10007];
  FILE *file = fopen("large", "wb");
  for (int i = 0; i < 300; i++) {
    memset(block, i, sizeof block);
    if (fwrite(block, 1, sizeof block, file) != sizeof block) say("fwrite", -1);
  }
  fclose(file);
  struct stat info;
  stat("large", &info);
  file = fopen("large", "rb");
  unsigned long sum = 0, total = 0;
  for (size_t part; (part = fread(block, 1, 4999, file)) > 0; total += part) {
    for (size_t i = 0; i < part; i++) sum = (sum * 33 + block[i]) & 0xffffffff;
  }
  fclose(file);
  printf("large %ld %lu %lu\n", (long)info.st_size, total, sum);
}

static void descriptors(void) {
  char text[16] = {0};
  struct stat info;
  int fd = open("low", O_RDWR | O_CREAT | O_EXCL, 0600);
  say_number("write", write(fd, "0123456789", 10));
  say_number("lseek", lseek(fd, 3, SEEK_SET));
  say_number("read", read(fd, text, 3));
  say_number("pwrite", pwrite(fd, "XY", 2, 8));
  say_number("pread", pread(fd, text + 3, 10, 0));
  printf("%s\n", text);
  say_number("where it is", lseek(fd, 0, SEEK_CUR));
  say_number("read nothing", read(fd, text, 0));
  say("lseek before the start", lseek(fd, -1, SEEK_SET));
  say("ftruncate", ftruncate(fd, 4));
  say("fsync", fsync(fd));
  fstat(fd, &info);
  printf("%ld %d %d\n", (long)info.st_size, S_ISREG(info.st_mode), (int)info.st_nlink);
  say("unlink while open", unlink("low"));
  fstat(fd, &info);
  memset(text, 0, sizeof text);
  say_number("pread", pread(fd, text, 10, 0));
  printf("%s %d\n", text, (int)info.st_nlink);
  say("close", close(fd));
  say("close again", close(fd));
  say("exclusive", open("stream", O_CREAT | O_EXCL | O_WRONLY, 0600));
  fd = open("append", O_WRONLY | O_CREAT | O_APPEND, 0600);
  say_number("append", write(fd, "one", 3));
  lseek(fd, 0, SEEK_SET);
  say_number("append", write(fd, "two", 3));
  say("read what is for writing", read(fd, text, 1));
  close(fd);
  fd = open("append", O_RDONLY);
  say("write what is for reading", write(fd, "x", 1));
  close(fd);
  show("append");
  fd = open("append", O_WRONLY | O_TRUNC);
  close(fd);
  show("append");
  fd = open("sparse", O_RDWR | O_CREAT, 0600);
  lseek(fd, 1000000, SEEK_SET);
  say_number("write", write(fd, "!", 1));
  say_number("its end", lseek(fd, 0, SEEK_END));
  say_number("pread of a hole", pread(fd, text, 1, 500000));
  say_number("what is there", text[0]);
  close(fd);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(const char *path) {
  char *names[64];
  size_t count = 0;
  DIR *folder = opendir(path);
  if (!folder) return say(path, -1);
  for (struct dirent *entry; (entry = readdir(folder)) && count < 64;) names[count++] = strdup(entry->d_name);
  closedir(folder);
  qsort(names, count, sizeof *names, by_name);
  printf("%s:", path);
  for (size_t i = 0; i < count; i++) {
    printf(" %s", names[i]);
    free(names[i]);
  }
  printf("\n");
}

static void folders(void) {
  char name[32];
  say("mkdir", mkdir("d", 0700));
  say("mkdir inside", mkdir("d/e", 0700));
  say("mkdir again", mkdir("d", 0700));
  say("mkdir on a file", mkdir("stream", 0700));
  say("mkdir in nothing", mkdir("none/x", 0700));
  write_text("d/a", "a");
  list("d");
  say("rmdir of one that is full", rmdir("d"));
  say("rmdir of a file", rmdir("d/a"));
  say("rmdir of nothing", rmdir("none"));
  say("unlink of a folder", unlink("d/e"));
  say("remove", remove("d/e"));
  list("none");
  list("d/a");
  say("open a folder to write", open("d", O_WRONLY));
  say("open a file as a folder", open("d/a", O_RDONLY | O_DIRECTORY));
  say("open below a file", open("d/a/x", O_RDONLY));
  say("a slash after a file", open("d/a/", O_RDONLY));
  char text[1];
  int fd = open("d", O_RDONLY);
  say("read a folder", read(fd, text, 1));
  close(fd);
  mkdir("many", 0700);
  for (int i = 0; i < 500; i++) {
    snprintf(name, sizeof name, "many/%03d", i);
    write_text(name, name);
  }
  int seen = 0, gone = 0;
  DIR *folder = opendir("many");
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "many/%.20s", entry->d_name);
    seen++;
    gone += unlink(name) == 0;
  }
  rewinddir(folder);
  int left = 0;
  while (readdir(folder)) left++;
  closedir(folder);
  printf("seen %d, removed %d, left %d\n", seen, gone, left);
  say("rmdir after that", rmdir("many"));
}

static void renames(void) {
  mkdir("r", 0700);
  mkdir("r/empty", 0700);
  mkdir("r/full", 0700);
  write_text("r/full/x", "x");
  write_text("r/one", "one");
  write_text("r/two", "two");
  say("file over file", rename("r/one", "r/two"));
  show("r/two");
  say("the old name", access("r/one", F_OK));
  say("file over folder", rename("r/two", "r/empty"));
  say("folder over file", rename("r/empty", "r/two"));
  say("folder over a full one", rename("r/empty", "r/full"));
  say("folder over an empty one", rename("r/full", "r/empty"));
  list("r/empty");
  say("folder into itself", rename("r", "r/empty/r"));
  say("nothing", rename("r/none", "r/some"));
  say("into nothing", rename("r/two", "none/x"));
  say("onto itself", rename("r/two", "r/two"));
  list("r");
}

static void links(void) {
  char text[64];
  struct stat info;
  mkdir("l", 0700);
  write_text("l/file", "linked");
  say("symlink", symlink("file", "l/link"));
  say("symlink again", symlink("file", "l/link"));
  show("l/link");
  ssize_t size = readlink("l/link", text, sizeof text);
  printf("%.*s\n", (int)size, text);
  size = readlink("l/link", text, 2);
  printf("%.*s\n", (int)size, text);
  say("readlink of a file", readlink("l/file", text, sizeof text));
  lstat("l/link", &info);
  printf("%d %ld\n", S_ISLNK(info.st_mode), (long)info.st_size);
  say("nofollow", open("l/link", O_RDONLY | O_NOFOLLOW));
  symlink("loop", "l/loop");
  say("loop", open("l/loop", O_RDONLY));
  symlink("nowhere", "l/dangling");
  say("dangling", open("l/dangling", O_RDONLY));
  say("stat of it", stat("l/dangling", &info));
  say("lstat of it", lstat("l/dangling", &info));
  symlink("../l", "l/up");
  show("l/up/up/../l/file");
  say("link", link("l/file", "l/hard"));
  stat("l/hard", &info);
  printf("%d\n", (int)info.st_nlink);
  say("link over", link("l/file", "l/hard"));
  say("link of a folder", link("l", "l2"));
  unlink("l/file");
  show("l/hard");
}

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void times(void) {
  struct stat info;
  struct timespec when[2] = {{1500000000, 123456789}, {1111111111, 222222222}};
  say("utimensat", utimensat(AT_FDCWD, "stream", when, 0));
  stat("stream", &info);
  printf("%lld.%09ld %lld.%09ld\n", (long long)info.st_atim.tv_sec, info.st_atim.tv_nsec, (long long)info.st_mtim.tv_sec,
         info.st_mtim.tv_nsec);
  write_text("fresh", "x");
  stat("fresh", &info);
  double age = difftime(time(NULL), info.st_mtime);
  printf("%d\n", age > -5 && age < 60);
  struct timespec rest = {0, 120000000};
  double start = now(CLOCK_MONOTONIC), real = now(CLOCK_REALTIME);
  say("nanosleep", nanosleep(&rest, NULL));
  double slept = now(CLOCK_MONOTONIC) - start;
  printf("%d %d\n", slept >= 0.12 && slept < 2, now(CLOCK_REALTIME) > real);
  struct tm *parts = gmtime(&(time_t){86400 * 365});
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%d %H:%M", parts);
  printf("%s\n", text);
}

static void standard_streams(void) {
  char line[64], word[16];
  int number = 0, hex = 0;
  struct pollfd ready = {.fd = 0, .events = POLLIN};
  say_number("poll", poll(&ready, 1, 5000));
  say_number("readable", (ready.revents & POLLIN) != 0);
  printf("%s", fgets(line, sizeof line, stdin));
  say_number("scanf", scanf("%15s %d %i", word, &number, &hex));
  printf("%s %d %d\n", word, number, hex);
  say_number("getchar", getchar());
  printf("%s", fgets(line, sizeof line, stdin));
  say_number("at the end", getchar() == EOF);
  say_number("feof", feof(stdin) != 0);
  say_number("terminals", isatty(0) + isatty(1) + isatty(99));
  say("seek in a stream", lseek(1, 0, SEEK_CUR));
  for (int i = 0; i < 2000; i++) printf("%0100d\n", i);
  fprintf(stderr, "on stderr\n");
}

static void last_words(void) {
  printf("at exit\n");
}

int main(int argc, char **argv) {
  char long_name[400];
  if (argc != 2 || chdir(argv[1])) return 1;
  atexit(last_words);
  printf("%s %s\n", getenv("GREETING"), getenv("MISSING") ? "?" : "unset");
  streams_of_files();
  large_file();
  descriptors();
  folders();
  renames();
  links();
  memset(long_name, 'n', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = 0;
  say("a long name", open(long_name, O_RDONLY));
  times();
  standard_streams();
  return 5;
}
