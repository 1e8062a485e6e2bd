/*
 * Fails or kills a process at its n-th change to anything below one folder.
 *
 * Loaded before the C library, it stands in front of every call that writes, syncs, names, removes or creates, those of
 * the database included. SHIM_DIR is the folder. SHIM_MODE: "count" only lists the calls in SHIM_LOG; "kill" ends the
 * process at call SHIM_AT, after half of its bytes if it writes; "io" lets that one call fail; "full" lets it and every
 * later call fail that needs room on the disk. "look" counts and fails opening things to read them instead.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long met;
static const char *folder, *mode;
static long at;
static int log_fd = -1;

__attribute__((constructor)) static void start(void) {
    folder = getenv("SHIM_DIR");
    mode = getenv("SHIM_MODE");
    const char *number = getenv("SHIM_AT");
    at = number ? atol(number) : 0;
    const char *path = getenv("SHIM_LOG");
    if (path) log_fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int ours(const char *path) {
    char whole[2 * PATH_MAX];
    if (!folder || !path) return 0;
    if (path[0] != '/') {
        char here[PATH_MAX];
        if (!getcwd(here, sizeof here)) return 0;
        snprintf(whole, sizeof whole, "%s/%s", here, path);
        path = whole;
    }
    return strncmp(path, folder, strlen(folder)) == 0;
}

static int ours_fd(int fd) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t got = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (got <= 0) return 0;
    path[got] = 0;
    return ours(path);
}

/* 0: go on. 1: end here. 2: fail. */
static int met_one(const char *what, int needs_room) {
    if (!mode || !strcmp(mode, "look")) return 0;
    long now = atomic_fetch_add(&met, 1) + 1;
    if (log_fd >= 0) {
        char line[64];
        int length = snprintf(line, sizeof line, "%s\n", what);
        syscall(SYS_write, log_fd, line, length);
    }
    if (!strcmp(mode, "kill") && now == at) return 1;
    if (!strcmp(mode, "io") && now == at) { errno = EIO; return 2; }
    if (!strcmp(mode, "full") && now >= at && needs_room) { errno = ENOSPC; return 2; }
    return 0;
}

/* Whether opening something to read it fails. */
static int looks(int flags, int mine) {
    if (!mode || strcmp(mode, "look") || !mine || (flags & O_CREAT)) return 0;
    long now = atomic_fetch_add(&met, 1) + 1;
    if (log_fd >= 0) syscall(SYS_write, log_fd, "look\n", 5);
    if (now != at) return 0;
    errno = EIO;
    return 1;
}

static void end(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define GUARD(what, mine, room)                                                                                       \
    if (mine) {                                                                                                       \
        int verdict = met_one(what, room);                                                                            \
        if (verdict == 1) end();                                                                                      \
        if (verdict == 2) return -1;                                                                                  \
    }

ssize_t write(int fd, const void *bytes, size_t count) {
    REAL(write);
    if (fd > 2 && ours_fd(fd)) {
        int verdict = met_one("write", 1);
        if (verdict == 1) { real(fd, bytes, count / 2); end(); }
        if (verdict == 2) return -1;
    }
    return real(fd, bytes, count);
}

#define POSITIONED(name, offset_type)                                                                                 \
    ssize_t name(int fd, const void *bytes, size_t count, offset_type offset) {                                       \
        REAL(name);                                                                                                   \
        if (ours_fd(fd)) {                                                                                            \
            int verdict = met_one("write", 1);                                                                        \
            if (verdict == 1) { real(fd, bytes, count / 2, offset); end(); }                                          \
            if (verdict == 2) return -1;                                                                              \
        }                                                                                                             \
        return real(fd, bytes, count, offset);                                                                        \
    }
POSITIONED(pwrite, off_t)
POSITIONED(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(writev);
    GUARD("write", fd > 2 && ours_fd(fd), 1)
    return real(fd, parts, count);
}

int fsync(int fd) { REAL(fsync); GUARD("sync", ours_fd(fd), 0) return real(fd); }
int fdatasync(int fd) { REAL(fdatasync); GUARD("sync", ours_fd(fd), 0) return real(fd); }
int ftruncate(int fd, off_t length) { REAL(ftruncate); GUARD("truncate", ours_fd(fd), 0) return real(fd, length); }
int ftruncate64(int fd, off64_t length) { REAL(ftruncate64); GUARD("truncate", ours_fd(fd), 0) return real(fd, length); }
int rename(const char *from, const char *to) { REAL(rename); GUARD("rename", ours(to), 0) return real(from, to); }
int link(const char *from, const char *to) { REAL(link); GUARD("link", ours(to), 1) return real(from, to); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
    REAL(linkat);
    GUARD("link", ours(to), 1)
    return real(a, from, b, to, flags);
}
int unlink(const char *path) { REAL(unlink); GUARD("remove", ours(path), 0) return real(path); }
int unlinkat(int fd, const char *path, int flags) {
    REAL(unlinkat);
    GUARD("remove", fd == AT_FDCWD ? ours(path) : ours_fd(fd), 0)
    return real(fd, path, flags);
}
int mkdir(const char *path, mode_t bits) { REAL(mkdir); GUARD("create", ours(path), 1) return real(path, bits); }

#define OPENS(name)                                                                                                   \
    int name(const char *path, int flags, ...) {                                                                      \
        REAL(name);                                                                                                   \
        mode_t bits = 0;                                                                                              \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                                                        \
            va_list list;                                                                                             \
            va_start(list, flags);                                                                                    \
            bits = va_arg(list, mode_t);                                                                              \
            va_end(list);                                                                                             \
        }                                                                                                             \
        GUARD("create", (flags & O_CREAT) && ours(path), 1)                                                           \
        if (looks(flags, ours(path))) return -1;                                                                      \
        return real(path, flags, bits);                                                                               \
    }
OPENS(open)
OPENS(open64)
