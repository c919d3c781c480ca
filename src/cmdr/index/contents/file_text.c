/* Reading one file as a text: never waits for a pipe, never follows a link, never reads more than MAX_TEXT.
 *
 * Files are read, not mapped: one that is cut off meanwhile would end the program.
 */
#include "contents.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#define FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)
#define CHANGED(facts) ((facts)->st_ctim)
#else
#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define CHANGED(facts) ((facts)->st_ctimespec)
#endif

enum { HEAD = 1 << 14 }; /* read first: most of what is no text shows here */

void reader_open(text_reader *reader, int through_links) {
    *reader = (text_reader){.through_links = through_links, .folder = -1, .folder_number = UINT32_MAX};
}

void reader_close(text_reader *reader) {
    free(reader->raw);
    free(reader->wide);
    if (reader->folder >= 0)
        close(reader->folder);
    reader_open(reader, reader->through_links);
}

/* One folder after the other: for paths that are too long, and where links cannot be ruled out otherwise. */
static int open_step_by_step(const char *path, int flags) {
    char name[4096];
    int here = open(*path == '/' ? "/" : ".", FOLDER_FLAGS);
    while (here >= 0 && *path) {
        size_t length = strcspn(path, "/");
        if (!length) {
            path++;
            continue;
        }
        if (length >= sizeof name) {
            close(here);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, path, length);
        name[length] = 0;
        int next = openat(here, name, flags);
        int trouble = errno;
        close(here);
        errno = trouble;
        here = next;
        path += length;
    }
    return here;
}

/* Open a folder by its full path. Where no name in it may be a link, what is private cannot come in through one. */
static int open_folder(const char *path, int through_links) {
    if (through_links) {
        int found = open(path, FOLDER_FLAGS);
        return found < 0 && errno == ENAMETOOLONG ? open_step_by_step(path, FOLDER_FLAGS) : found;
    }
#if defined(__linux__) && defined(SYS_openat2)
    struct {
        uint64_t flags, mode, resolve;
    } how = {FOLDER_FLAGS, 0, 0x04 /* RESOLVE_NO_SYMLINKS */};
    long opened = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (opened >= 0)
        return (int)opened;
    if (errno != ENOSYS && errno != EPERM && errno != ENAMETOOLONG && errno != EINVAL)
        return -1;
#endif
    return open_step_by_step(path, FOLDER_FLAGS | O_NOFOLLOW);
}

static enum file_state state_of(int trouble) {
    switch (trouble) {
    case ENOENT: case ENOTDIR: case ESTALE:
        return IS_GONE;
    case EACCES: case EPERM:
        return IS_DENIED;
    case ELOOP: case ENXIO: case ENODEV: case EISDIR:
        return IS_SPECIAL;
    default:
        return IS_BROKEN;
    }
}

static int make_room(uint8_t **buffer, size_t *room, size_t wanted) {
    if (wanted <= *room)
        return 0;
    uint8_t *bigger = realloc(*buffer, wanted);
    if (!bigger)
        return -1;
    *buffer = bigger, *room = wanted;
    return 0;
}

static size_t from_utf16(const uint8_t *from, size_t length, int big, uint8_t *into) {
    uint8_t *start = into;
    for (size_t i = 0; i + 1 < length; i += 2) {
        uint32_t c = big ? (uint32_t)(from[i] << 8 | from[i + 1]) : (uint32_t)(from[i + 1] << 8 | from[i]);
        if (c >= 0xD800 && c < 0xE000) {
            uint32_t low = 0;
            if (c < 0xDC00 && i + 3 < length)
                low = big ? (uint32_t)(from[i + 2] << 8 | from[i + 3]) : (uint32_t)(from[i + 3] << 8 | from[i + 2]);
            if (low >= 0xDC00 && low < 0xE000)
                c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00), i += 2;
            else
                c = 0xFFFD;
        }
        if (c < 0x80) {
            *into++ = (uint8_t)c;
        } else if (c < 0x800) {
            *into++ = (uint8_t)(0xC0 | c >> 6);
            *into++ = (uint8_t)(0x80 | (c & 63));
        } else if (c < 0x10000) {
            *into++ = (uint8_t)(0xE0 | c >> 12);
            *into++ = (uint8_t)(0x80 | (c >> 6 & 63));
            *into++ = (uint8_t)(0x80 | (c & 63));
        } else {
            *into++ = (uint8_t)(0xF0 | c >> 18);
            *into++ = (uint8_t)(0x80 | (c >> 12 & 63));
            *into++ = (uint8_t)(0x80 | (c >> 6 & 63));
            *into++ = (uint8_t)(0x80 | (c & 63));
        }
    }
    return (size_t)(into - start);
}

static int is_wide_mark(const uint8_t *raw, size_t length) {
    return length >= 2 && ((raw[0] == 0xFF && raw[1] == 0xFE) || (raw[0] == 0xFE && raw[1] == 0xFF));
}

static ssize_t read_at(int fd, uint8_t *into, size_t wanted, size_t at) {
    ssize_t got;
    do
        got = pread(fd, into, wanted, (off_t)at);
    while (got < 0 && errno == EINTR);
    return got;
}

/* All bytes up to MAX_TEXT, or why not; a file may grow or shrink while it is read. */
static enum file_state read_whole(text_reader *reader, int fd, uint64_t size, size_t *length) {
    size_t have = 0, wanted = size < HEAD ? (size_t)size + 1 : HEAD;
    int wide = 0;
    for (;;) {
        if (make_room(&reader->raw, &reader->raw_room, wanted + PAD))
            return IS_BROKEN;
        ssize_t got = read_at(fd, reader->raw + have, wanted - have, have);
        if (got < 0)
            return state_of(errno);
        if (!have)
            wide = is_wide_mark(reader->raw, (size_t)got);
        if (!wide && have < SNIFFED) {
            size_t look = have + (size_t)got < SNIFFED ? (size_t)got : SNIFFED - have;
            if (memchr(reader->raw + have, 0, look))
                return IS_BINARY;
        }
        have += (size_t)got;
        if (!got || (have < wanted && have >= size))
            break;
        if (have < wanted)
            continue; /* less than asked for may come before the end */
        if (wanted > MAX_TEXT)
            return IS_TOO_BIG; /* it grew beyond that while it was read */
        wanted = (size_t)size + 1 > wanted ? (size_t)size + 1 : wanted * 2;
        if (wanted > MAX_TEXT + 1)
            wanted = MAX_TEXT + 1;
    }
    *length = have;
    return have ? IS_TEXT : IS_EMPTY;
}

static enum file_state text_of(text_reader *reader, int fd, file_text *into) {
    struct stat facts;
    if (fstat(fd, &facts))
        return state_of(errno);
    if (!S_ISREG(facts.st_mode))
        return IS_SPECIAL;
    into->size = (uint64_t)facts.st_size, into->inode = facts.st_ino, into->device = facts.st_dev;
    into->changed_ns = (int64_t)((uint64_t)CHANGED(&facts).tv_sec * 1000000000u + (uint64_t)CHANGED(&facts).tv_nsec);
    if (into->size > MAX_TEXT) { /* still told apart from what is no text at all */
        if (make_room(&reader->raw, &reader->raw_room, SNIFFED + PAD))
            return IS_BROKEN;
        ssize_t got = read_at(fd, reader->raw, SNIFFED, 0);
        if (got > 0 && !is_wide_mark(reader->raw, (size_t)got) && memchr(reader->raw, 0, (size_t)got))
            return IS_BINARY;
        return IS_TOO_BIG;
    }
    size_t length = 0;
    enum file_state state = read_whole(reader, fd, into->size, &length);
    if (state != IS_TEXT)
        return state;
    into->text = reader->raw, into->length = length;
    if (is_wide_mark(reader->raw, length)) {
        if (make_room(&reader->wide, &reader->wide_room, length * 3 / 2 + PAD))
            return IS_BROKEN;
        into->length = from_utf16(reader->raw + 2, length - 2, reader->raw[0] == 0xFE, reader->wide);
        into->text = reader->wide, into->is_wide = 1, into->skipped = 2;
        if (memchr(reader->wide, 0, into->length < SNIFFED ? into->length : SNIFFED))
            return IS_BINARY;
    } else if (length >= 3 && !memcmp(reader->raw, "\xEF\xBB\xBF", 3)) {
        into->text += 3, into->length -= 3, into->skipped = 3;
    }
    memset((uint8_t *)into->text + into->length, '\n', PAD);
    return into->length ? IS_TEXT : IS_EMPTY;
}

enum file_state read_text(text_reader *reader, const file_list *files, uint64_t number, file_text *into) {
    memset(into, 0, sizeof *into);
    if (files->descriptors) {
        int opened = files->descriptors[number];
        if (opened < 0)
            return (enum file_state)(-1 - opened);
        files->descriptors[number] = -1 - IS_GONE;
        enum file_state seen = text_of(reader, opened, into);
        close(opened);
        return seen;
    }
    uint32_t folder = files->folder_of[number];
    if (folder != reader->folder_number) {
        if (reader->folder >= 0)
            close(reader->folder);
        reader->folder_number = folder;
        reader->folder = open_folder(files->folders + files->folder_at[folder], reader->through_links);
        reader->folder_error = errno;
    }
    if (reader->folder < 0) {
        int trouble = reader->folder_error;
        return trouble == ELOOP ? IS_GONE : state_of(trouble); /* a link took the place of a folder */
    }
    int fd;
    do
        fd = openat(reader->folder, files->names + files->name_at[number],
                    O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return state_of(errno);
    enum file_state state = text_of(reader, fd, into);
    close(fd);
    return state;
}

/* How many bytes a character has that begins here; 0 when it is no UTF-8. */
static size_t character(const uint8_t *at, size_t left) {
    uint8_t c = at[0];
    size_t more = c < 0xC2 || c >= 0xF5 ? 0 : c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
    if (c < 0x80)
        return 1;
    if (!more || more >= left)
        return 0;
    for (size_t k = 1; k <= more; k++)
        if ((at[k] & 0xC0) != 0x80)
            return 0;
    if ((c == 0xE0 && at[1] < 0xA0) || (c == 0xED && at[1] > 0x9F) || (c == 0xF0 && at[1] < 0x90) ||
        (c == 0xF4 && at[1] > 0x8F))
        return 0; /* longer than needed, half of a pair, or beyond the last character */
    return more + 1;
}

static size_t ascii_prefix(const uint8_t *text, size_t length) {
    size_t i = 0;
    for (; i + 32 <= length; i += 32) {
        uint64_t four[4];
        memcpy(four, text + i, 32);
        if ((four[0] | four[1] | four[2] | four[3]) & 0x8080808080808080u)
            break;
    }
    while (i < length && text[i] < 0x80)
        i++;
    return i;
}

int text_facts(const uint8_t *text, size_t length) {
    int facts = 0;
    for (size_t i = 0; (i += ascii_prefix(text + i, length - i)) < length;) {
        size_t bytes = character(text + i, length - i);
        if (!bytes)
            facts |= NOT_UTF8;
        else if ((text[i] == 0xC5 && text[i + 1] == 0xBF) || (bytes == 3 && !memcmp(text + i, "\xE2\x84\xAA", 3)))
            facts |= ODD_LETTERS;
        i += bytes ? bytes : 1;
    }
    return facts;
}

/* Put another byte wherever a byte is no UTF-8: the engine of regular expressions takes nothing else. */
void mend(uint8_t *text, size_t length, uint8_t with) {
    for (size_t i = 0; (i += ascii_prefix(text + i, length - i)) < length;) {
        size_t bytes = character(text + i, length - i);
        if (!bytes)
            text[i] = with;
        i += bytes ? bytes : 1;
    }
}

const uint8_t *last_line_end(const uint8_t *from, const uint8_t *end) {
#if defined(__linux__)
    return memrchr(from, '\n', (size_t)(end - from));
#else
    while (end > from)
        if (*--end == '\n')
            return end;
    return NULL;
#endif
}
