/* What the parts of the guest know of each other; in the guest. */
#ifndef SALLYPORT_GUEST_H
#define SALLYPORT_GUEST_H

/* Runs CPython's command line on the arguments of WASI; the exit code. */
int guest_main(void);
/* Starts the interpreter and imports the modules that the arguments name; 0, or an exit code. */
int snapshot_init(void);
/* Runs the command line on a started interpreter, with the arguments and environment of now; the exit code. */
int snapshot_run(void);
/* Bytes of the library's file into `target`; -1 with an exception set. */
int stdlib_read_file(void *target, unsigned offset, unsigned length);
/* Before Python starts: lets modules read what was cut out of them. */
void cold_install(void);

#endif
