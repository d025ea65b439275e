// Guest: a function package in C that draws: `bar_chart({values, title})` writes a PNG to /volume/tmp/chart.png and links
// it; `swatch({color})` answers with an image inside the result. Colors come from /package/colors.txt, where there is one.
#define SALLYPORT_IMPLEMENTATION
#include "sallyport_package.h"

#include <fcntl.h>

enum { WIDTH = 320, HEIGHT = 200, MOST_VALUES = 32, ROW = 1 + 3 * WIDTH };

static unsigned char raw[HEIGHT * ROW];
static unsigned char png[HEIGHT * ROW + 1024];
static size_t length;

static uint32_t crc(const unsigned char *bytes, size_t count) {
  uint32_t value = 0xffffffff;
  for (size_t i = 0; i < count; i++) {
    value ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ value >> 1 : value >> 1;
  }
  return value ^ 0xffffffff;
}

static uint32_t adler(const unsigned char *bytes, size_t count) {
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < count; i++) a = (a + bytes[i]) % 65521, b = (b + a) % 65521;
  return b << 16 | a;
}

static void put(const void *bytes, size_t count) {
  memcpy(png + length, bytes, count);
  length += count;
}

static void put32(uint32_t value) {
  unsigned char bytes[4] = {value >> 24, value >> 16, value >> 8, value};
  put(bytes, 4);
}

static size_t begin_chunk(uint32_t size, const char *name) {
  put32(size);
  put(name, 4);
  return length - 4;
}

static void end_chunk(size_t from) { put32(crc(png + from, length - from)); }

// A PNG of `height` rows of `width` pixels in `raw`, each row behind its filter byte; stored, not compressed.
static void encode(uint32_t width, uint32_t height) {
  size_t row = 1 + 3 * width, bytes = row * height, blocks = (bytes + 65534) / 65535;
  length = 0;
  put("\x89PNG\r\n\x1a\n", 8);
  size_t chunk = begin_chunk(13, "IHDR");
  put32(width);
  put32(height);
  put("\x08\x02\0\0\0", 5);
  end_chunk(chunk);
  chunk = begin_chunk((uint32_t)(2 + 5 * blocks + bytes + 4), "IDAT");
  put("\x78\x01", 2);
  for (size_t at = 0; at < bytes; at += 65535) {
    size_t part = bytes - at < 65535 ? bytes - at : 65535;
    unsigned char head[5] = {at + part == bytes, part & 255, part >> 8, ~part & 255, (~part >> 8) & 255};
    put(head, 5);
    put(raw + at, part);
  }
  put32(adler(raw, bytes));
  end_chunk(chunk);
  end_chunk(begin_chunk(0, "IEND"));
}

static uint32_t colors[8] = {0x2f6fde, 0x2fa36b, 0xd9822b, 0xb8406f, 0x7a5fd0, 0x20a0a8, 0x8a8f98, 0xc0392b};

// Lines of six hex digits.
static void read_colors(void) {
  char text[256] = {0};
  int fd = open("/package/colors.txt", O_RDONLY);
  if (fd < 0) return;
  if (read(fd, text, sizeof text - 1) > 0) {
    char *at = text;
    for (int i = 0; i < 8 && *at; i++) {
      char *end;
      uint32_t color = (uint32_t)strtoul(at, &end, 16);
      if (end == at) break;
      colors[i] = color & 0xffffff;
      at = end;
    }
  }
  close(fd);
}

static void fill(int left, int top, int right, int bottom, int width, uint32_t color) {
  for (int y = top; y < bottom; y++) {
    for (int x = left; x < right; x++) {
      unsigned char *pixel = raw + y * (1 + 3 * width) + 1 + 3 * x;
      pixel[0] = color >> 16, pixel[1] = color >> 8, pixel[2] = color;
    }
  }
}

static void bar_chart(sp_value args, sp_result *result) {
  double values[MOST_VALUES], most = 0;
  size_t count = 0;
  sp_iterator item = sp_each(sp_member(args, "values"));
  while (sp_next(&item)) {
    if (count == MOST_VALUES || !sp_get_number(item.value, &values[count]) || values[count] < 0) {
      sp_fail(result, "values must be at most 32 numbers that are not negative");
      return;
    }
    if (values[count] > most) most = values[count];
    count++;
  }
  if (count == 0) {
    sp_fail(result, "values must not be empty");
    return;
  }
  read_colors();
  memset(raw, 0, sizeof raw);
  fill(0, 0, WIDTH, HEIGHT, WIDTH, 0xffffff);
  int slot = (WIDTH - 20) / (int)count;
  for (size_t i = 0; i < count; i++) {
    int height = most > 0 ? (int)(values[i] / most * (HEIGHT - 20)) : 0, left = 10 + slot * (int)i;
    fill(left + slot / 8, HEIGHT - 10 - height, left + slot - slot / 8, HEIGHT - 10, WIDTH, colors[i % 8]);
  }
  fill(10, HEIGHT - 10, WIDTH - 10, HEIGHT - 9, WIDTH, 0x444444);
  encode(WIDTH, HEIGHT);
  const char *path = "/volume/tmp/chart.png";
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0 || write(fd, png, length) != (ssize_t)length || close(fd) != 0) {
    sp_fail(result, "the chart could not be written to /volume/tmp");
    return;
  }
  char title[100];
  if (sp_text(sp_member(args, "title"), title, sizeof title) == SIZE_MAX) strcpy(title, "A bar chart");
  sp_add_text(result, title);
  sp_add_link(result, path, "chart.png");
}

static void swatch(sp_value args, sp_result *result) {
  char text[8];
  char *end = text;
  if (sp_text(sp_member(args, "color"), text, sizeof text) == 6) {
    uint32_t color = (uint32_t)strtoul(text, &end, 16);
    if (end == text + 6) {
      memset(raw, 0, sizeof raw);
      fill(0, 0, 16, 16, 16, color);
      encode(16, 16);
      sp_add_image(result, "image/png", png, length);
      return;
    }
  }
  sp_fail(result, "color must be six hex digits, such as 2f6fde");
}

static const sp_tool tools[] = {
    {"bar_chart", "Draws numbers as bars and shows the picture.",
     "{\"type\":\"object\",\"properties\":{\"values\":{\"type\":\"array\",\"items\":{\"type\":\"number\",\"minimum\":0},"
     "\"minItems\":1,\"maxItems\":32},\"title\":{\"type\":\"string\"}},\"required\":[\"values\"]}",
     NULL, bar_chart},
    {"swatch", "Shows a color.",
     "{\"type\":\"object\",\"properties\":{\"color\":{\"type\":\"string\",\"description\":\"Six hex digits.\"}},"
     "\"required\":[\"color\"]}",
     NULL, swatch},
};

int main(void) { return sp_serve(tools, sizeof tools / sizeof *tools); }
