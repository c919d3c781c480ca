/* One directory in one call: its names, and of each name what `statx` tells.
 *
 * The walker does this for every directory of a tree, and in Python a call for each name costs as much as the kernel's
 * own work. Nothing here knows Python: compiled_reader.py loads it with ctypes and owns all memory. Where it could not
 * be built, directory_reader.py does the same, and the tests hold both against each other.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __linux__

enum { VERSION = 1 }; /* changes with the structures below, so that a library from an older source is left alone */

/* What getdents64 writes. */
struct listed {
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t kind;
    char name[];
};

/* A directory or a link, which the walker looks at one by one. */
struct found {
    uint64_t inode, device;
    uint32_t mode, row, name_at, name_length;
};

/* Shared with CompiledReader, field by field. */
struct reader {
    uint64_t inode, device;    /* in: the directory that is meant; the device is any when all its bits are set */
    uint64_t rows, row_capacity;   /* rows that are filled, and how many there may be */
    uint64_t names, name_capacity; /* bytes of names, each ending with NUL, and how many there may be */
    uint64_t founds;           /* out: directories and links of the last call */
    uint64_t size_sum;         /* of all rows */
    uint64_t list_capacity, list_size, list_at;
    int64_t directory;         /* descriptor of the one being read; -1 when none is */
    char *list;                /* what the kernel told of it and was not taken yet */
    char *name_bytes;
    struct found *found;
    int64_t *born, *ctime, *mtime; /* nanoseconds */
    uint64_t *ino, *size, *blocks, *dev;
    uint32_t *nlink, *uid;
    uint16_t *mode;
};

static int facts(int directory, const char *name, int flags, unsigned mask, struct statx *into) {
    int failed;
    do
        failed = statx(directory, name, flags | AT_STATX_DONT_SYNC, mask, into);
    while (failed && errno == EINTR);
    return failed ? errno : 0;
}

static uint64_t device_of(const struct statx *facts) {
    return facts->stx_dev_major | (uint64_t)facts->stx_dev_minor << 32;
}

static int64_t nanoseconds(struct statx_timestamp moment) {
    return (int64_t)((uint64_t)moment.tv_sec * 1000000000 + moment.tv_nsec); /* any number may come; it wraps */
}

static int is_itself_or_above(const char *name) {
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int fits(const struct reader *reader, size_t length) {
    return reader->rows < reader->row_capacity && length < reader->name_capacity - reader->names;
}

/* Append one name with its facts. */
static void append(struct reader *reader, const char *name, size_t length, const struct statx *seen) {
    uint64_t row = reader->rows++;
    reader->born[row] = nanoseconds(seen->stx_btime);
    reader->ctime[row] = nanoseconds(seen->stx_ctime);
    reader->mtime[row] = nanoseconds(seen->stx_mtime);
    reader->ino[row] = seen->stx_ino;
    reader->size[row] = seen->stx_size;
    reader->blocks[row] = seen->stx_blocks;
    reader->dev[row] = device_of(seen);
    reader->nlink[row] = seen->stx_nlink;
    reader->uid[row] = seen->stx_uid;
    reader->mode[row] = seen->stx_mode;
    reader->size_sum += seen->stx_size;
    if (S_ISDIR(seen->stx_mode) || S_ISLNK(seen->stx_mode))
        reader->found[reader->founds++] = (struct found){
            seen->stx_ino, device_of(seen), seen->stx_mode, (uint32_t)row, (uint32_t)reader->names, (uint32_t)length};
    memcpy(reader->name_bytes + reader->names, name, length + 1);
    reader->names += length + 1;
}

/* Append a name of which nothing can be known. 1: there is no room for it. */
int cmdr_note(struct reader *reader, const char *name) {
    static const struct statx nothing;
    size_t length = strlen(name);
    if (!fits(reader, length))
        return 1;
    append(reader, name, length, &nothing);
    return 0;
}

/* Look at a name and append it, unless it vanished meanwhile. 1: there is no room for it. */
static int take(struct reader *reader, const char *name) {
    struct statx seen;
    size_t length = strlen(name);
    if (!fits(reader, length))
        return 1;
    int trouble = facts((int)reader->directory, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &seen);
    if (trouble && trouble != ENOENT)
        return cmdr_note(reader, name);
    if (!trouble)
        append(reader, name, length, &seen);
    return 0;
}

/* Leave the rest of a directory unread. */
void cmdr_close(struct reader *reader) {
    if (reader->directory >= 0)
        close((int)reader->directory);
    reader->directory = -1;
    reader->list_size = reader->list_at = 0;
}

/* Append what is left of the open directory. 0: that was all; 1: the room is full; below 0: the error, and all that
 * this call appended is taken back. */
int cmdr_read(struct reader *reader) {
    const struct reader before = *reader;
    reader->founds = 0;
    for (;;) {
        while (reader->list_at < reader->list_size) {
            const struct listed *entry = (const struct listed *)(reader->list + reader->list_at);
            if (!is_itself_or_above(entry->name) && take(reader, entry->name))
                return 1;
            reader->list_at += entry->length;
        }
        long got = syscall(SYS_getdents64, (int)reader->directory, reader->list, reader->list_capacity);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            int trouble = got < 0 ? errno : 0;
            if (trouble)
                *reader = before;
            cmdr_close(reader);
            return -trouble;
        }
        reader->list_at = 0;
        reader->list_size = (uint64_t)got;
    }
}

/* Make a directory the working directory and read it. As above, or 2: it is not the one that is meant. */
int cmdr_visit(struct reader *reader, const char *way) {
    struct statx here;
    cmdr_close(reader);
    if (chdir(way))
        return -errno;
    reader->directory = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (reader->directory < 0)
        return -errno;
    int trouble = facts((int)reader->directory, "", AT_EMPTY_PATH, STATX_INO, &here);
    int on_device = reader->device == UINT64_MAX || reader->device == device_of(&here);
    if (!trouble && on_device && here.stx_ino == reader->inode)
        return cmdr_read(reader);
    cmdr_close(reader);
    return trouble ? -trouble : 2;
}

/* Which version this is; 0 when the system does not let us call statx. */
int cmdr_reader_version(void) {
    struct statx root;
    return facts(AT_FDCWD, "/", 0, STATX_INO, &root) ? 0 : VERSION;
}

#endif
