/* What the parts of the guest know of each other; in the guest. */
#ifndef SALLYPORT_QUICKJS_STD_H
#define SALLYPORT_QUICKJS_STD_H

#include <stdio.h>
#include "quickjs.h"

/* Adds the module "std"; 0 for good. */
int std_install(JSContext *ctx);
/* A copy of the module "host", which the caller frees; `length` is without the zero at its end. */
char *std_host_module(size_t *length);
/* All of a file or stream, with a zero behind it; NULL when it cannot be read. The caller frees it. */
char *std_read_file(const char *path, size_t *length);
char *std_read_stream(FILE *stream, size_t *length);

#endif
