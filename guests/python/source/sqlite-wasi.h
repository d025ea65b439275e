/* What SQLite's Unix layer names and WASI does not have; included before all of sqlite3.c. A guest is alone with its files,
   so locks are granted, and owners and modes do not exist. */
#ifndef SQLITE_WASI_H
#define SQLITE_WASI_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef F_SETLK
#define F_GETLK 5
#define F_SETLK 6
#define F_SETLKW 7
#endif
#ifndef F_RDLCK
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#endif

#define fchmod sqlite_wasi_fchmod
#define fchown sqlite_wasi_fchown
#define geteuid sqlite_wasi_geteuid
#define umask sqlite_wasi_umask

static inline int fchmod(int fd, mode_t mode) { (void)fd, (void)mode; return 0; }
static inline int fchown(int fd, uid_t owner, gid_t group) { (void)fd, (void)owner, (void)group; return 0; }
static inline uid_t geteuid(void) { return 0; }
static inline mode_t umask(mode_t mode) { (void)mode; return 0; }

#endif
