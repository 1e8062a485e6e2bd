/*
 * Writes down every change that a process makes below one folder, in the order in which they happen.
 *
 * Loaded before the C library, it stands behind every call that creates, writes, cuts, syncs, names or removes, those of
 * the database included. SHIM_DIR is the folder, SHIM_LOG the list. With SHIM_AT the process is killed right after that
 * change. One change in the list, numbers in the order of the machine's bytes:
 *
 *     kind (1 byte), length of the path (4), the path, length of the other (4), the other, offset (8), length (4), bytes
 *
 * Kinds: 'c' a file was created, 'd' a folder was, 'w' bytes were written at the offset, 't' the file now ends at the offset,
 * 's' file or folder was synced, 'r' renamed to the other, 'l' linked to the other, 'u' a name was removed. The database's
 * shared memory is left out: nobody needs it after a crash.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define LONGEST (2 * PATH_MAX)

/* Held from a change until it is written down, so that the list has the order of the disk. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static int list = -1;
static long at, met;

__attribute__((constructor)) static void start(void) {
    folder = getenv("SHIM_DIR");
    const char *number = getenv("SHIM_AT"), *path = getenv("SHIM_LOG");
    at = number ? atol(number) : 0;
    if (path) list = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* What a descriptor stands for, or nothing. */
static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t got = syscall(SYS_readlinkat, AT_FDCWD, link, path, LONGEST - 1);
    path[got > 0 ? got : 0] = 0;
    return got > 0;
}

/* A path from the root. */
static void whole(int fd, const char *path, char *into) {
    char here[LONGEST] = "";
    if (path[0] == '/') { snprintf(into, LONGEST, "%s", path); return; }
    if (fd != AT_FDCWD) path_of(fd, here);
    else if (!getcwd(here, sizeof here)) here[0] = 0;
    size_t length = strlen(here);
    if (length + strlen(path) + 2 > LONGEST) abort();
    memcpy(into, here, length);
    into[length] = '/';
    strcpy(into + length + 1, path);
}

static int ours(const char *path) {
    size_t length = folder ? strlen(folder) : 0, own = strlen(path);
    if (list < 0 || !length || strncmp(path, folder, length) || (path[length] && path[length] != '/')) return 0;
    return own < 4 || strcmp(path + own - 4, "-shm");
}

static int there(const char *path) {
    struct stat about;
    return lstat(path, &about) == 0;
}

static void put(const void *bytes, size_t count) {
    if (syscall(SYS_write, list, bytes, count) != (long)count) abort();
}

static void put_text(const char *text) {
    uint32_t length = (uint32_t)strlen(text);
    put(&length, sizeof length);
    put(text, length);
}

static void note(char kind, const char *path, const char *other, uint64_t offset, const struct iovec *parts, size_t left) {
    int kept = errno;
    uint32_t length = (uint32_t)left;
    put(&kind, 1);
    put_text(path);
    put_text(other);
    put(&offset, sizeof offset);
    put(&length, sizeof length);
    for (; left > 0; parts++) {
        size_t some = parts->iov_len < left ? parts->iov_len : left;
        put(parts->iov_base, some);
        left -= some;
    }
    if (++met == at) {
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
    errno = kept;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define LOCK pthread_mutex_lock(&turn)
#define UNLOCK pthread_mutex_unlock(&turn)

/* Where the next bytes of a descriptor go. */
static uint64_t place(int fd) {
    int end = fcntl(fd, F_GETFL) & O_APPEND;
    off_t now = lseek(fd, 0, end ? SEEK_END : SEEK_CUR);
    return now < 0 ? 0 : (uint64_t)now;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(writev);
    char path[LONGEST];
    if (fd <= 2 || !path_of(fd, path) || !ours(path)) return real(fd, parts, count);
    LOCK;
    uint64_t offset = place(fd);
    ssize_t wrote = real(fd, parts, count);
    if (wrote > 0) note('w', path, "", offset, parts, (size_t)wrote);
    UNLOCK;
    return wrote;
}

ssize_t write(int fd, const void *bytes, size_t count) {
    REAL(write);
    char path[LONGEST];
    if (fd <= 2 || !path_of(fd, path) || !ours(path)) return real(fd, bytes, count);
    LOCK;
    uint64_t offset = place(fd);
    ssize_t wrote = real(fd, bytes, count);
    struct iovec part = {(void *)bytes, count};
    if (wrote > 0) note('w', path, "", offset, &part, (size_t)wrote);
    UNLOCK;
    return wrote;
}

#define POSITIONED(name, offset_type)                                                                                 \
    ssize_t name(int fd, const void *bytes, size_t count, offset_type offset) {                                       \
        REAL(name);                                                                                                   \
        char path[LONGEST];                                                                                           \
        if (!path_of(fd, path) || !ours(path)) return real(fd, bytes, count, offset);                                 \
        LOCK;                                                                                                         \
        ssize_t wrote = real(fd, bytes, count, offset);                                                               \
        struct iovec part = {(void *)bytes, count};                                                                   \
        if (wrote > 0) note('w', path, "", (uint64_t)offset, &part, (size_t)wrote);                                   \
        UNLOCK;                                                                                                       \
        return wrote;                                                                                                 \
    }
POSITIONED(pwrite, off_t)
POSITIONED(pwrite64, off64_t)

/* A call about one descriptor. */
#define ON_FD(kind, offset)                                                                                           \
    char path[LONGEST];                                                                                               \
    int mine = path_of(fd, path) && ours(path);                                                                       \
    LOCK;                                                                                                             \
    int answer = CALL;                                                                                                \
    if (answer == 0 && mine) note(kind, path, "", offset, NULL, 0);                                                   \
    UNLOCK;                                                                                                           \
    return answer;

#define CALL real(fd)
int fsync(int fd) { REAL(fsync); ON_FD('s', 0) }
int fdatasync(int fd) { REAL(fdatasync); ON_FD('s', 0) }
#undef CALL
#define CALL real(fd, length)
int ftruncate(int fd, off_t length) { REAL(ftruncate); ON_FD('t', (uint64_t)length) }
int ftruncate64(int fd, off64_t length) { REAL(ftruncate64); ON_FD('t', (uint64_t)length) }
#undef CALL

/* A call about one or two names. */
#define ON_NAMES(kind, a, from, b, to, call)                                                                          \
    char first[LONGEST], second[LONGEST];                                                                             \
    whole(a, from, first);                                                                                            \
    whole(b, to, second);                                                                                             \
    LOCK;                                                                                                             \
    int answer = call;                                                                                                \
    if (answer == 0 && (ours(first) || ours(second))) note(kind, first, second, 0, NULL, 0);                          \
    UNLOCK;                                                                                                           \
    return answer;

int rename(const char *from, const char *to) { REAL(rename); ON_NAMES('r', AT_FDCWD, from, AT_FDCWD, to, real(from, to)) }
int renameat(int a, const char *from, int b, const char *to) {
    REAL(renameat);
    ON_NAMES('r', a, from, b, to, real(a, from, b, to))
}
int link(const char *from, const char *to) { REAL(link); ON_NAMES('l', AT_FDCWD, from, AT_FDCWD, to, real(from, to)) }
int linkat(int a, const char *from, int b, const char *to, int flags) {
    REAL(linkat);
    ON_NAMES('l', a, from, b, to, real(a, from, b, to, flags))
}

#define ON_NAME(kind, fd, name, call)                                                                                 \
    char path[LONGEST];                                                                                               \
    whole(fd, name, path);                                                                                            \
    LOCK;                                                                                                             \
    int answer = call;                                                                                                \
    if (answer == 0 && ours(path)) note(kind, path, "", 0, NULL, 0);                                                  \
    UNLOCK;                                                                                                           \
    return answer;

int unlink(const char *name) { REAL(unlink); ON_NAME('u', AT_FDCWD, name, real(name)) }
int rmdir(const char *name) { REAL(rmdir); ON_NAME('u', AT_FDCWD, name, real(name)) }
int unlinkat(int fd, const char *name, int flags) { REAL(unlinkat); ON_NAME('u', fd, name, real(fd, name, flags)) }
int mkdir(const char *name, mode_t bits) { REAL(mkdir); ON_NAME('d', AT_FDCWD, name, real(name, bits)) }
int mkdirat(int fd, const char *name, mode_t bits) { REAL(mkdirat); ON_NAME('d', fd, name, real(fd, name, bits)) }

/* Opening changes something where it creates or cuts. */
#define ON_OPEN(fd, call)                                                                                             \
    mode_t bits = 0;                                                                                                  \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                                                            \
        va_list rest;                                                                                                 \
        va_start(rest, flags);                                                                                        \
        bits = va_arg(rest, mode_t);                                                                                  \
        va_end(rest);                                                                                                 \
    }                                                                                                                 \
    char path[LONGEST];                                                                                               \
    if (!(flags & (O_CREAT | O_TRUNC))) return call;                                                                  \
    whole(fd, name, path);                                                                                            \
    if (!ours(path)) return call;                                                                                     \
    LOCK;                                                                                                             \
    int was = there(path);                                                                                            \
    int answer = call;                                                                                                \
    if (answer >= 0 && !was) note('c', path, "", 0, NULL, 0);                                                         \
    else if (answer >= 0 && (flags & O_TRUNC)) note('t', path, "", 0, NULL, 0);                                       \
    UNLOCK;                                                                                                           \
    return answer;

int open(const char *name, int flags, ...) { REAL(open); ON_OPEN(AT_FDCWD, real(name, flags, bits)) }
int open64(const char *name, int flags, ...) { REAL(open64); ON_OPEN(AT_FDCWD, real(name, flags, bits)) }
int openat(int fd, const char *name, int flags, ...) { REAL(openat); ON_OPEN(fd, real(fd, name, flags, bits)) }
int openat64(int fd, const char *name, int flags, ...) { REAL(openat64); ON_OPEN(fd, real(fd, name, flags, bits)) }
