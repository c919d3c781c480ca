/* What the parts of the contents library share: texts of files, needles in them, and their limits.
 *
 * Nothing here knows Python: compiled.py loads the library with ctypes, which lets other threads run during every
 * call. Everything that is read from a stored index is checked before it is used.
 */
#ifndef CMDR_CONTENTS_H
#define CMDR_CONTENTS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>

enum {
    CONTENTS_VERSION = 2, /* changes with every structure that Python shares */
    PAD = 64,             /* bytes behind a text that may be read and mean nothing: wide loads look a little further */
    SNIFFED = 1 << 16,    /* a NUL in so many first bytes: not a text */
};
#define MAX_TEXT ((size_t)64 << 20) /* longer files are not searched */

/* What became of a file that was to be read; the numbers are stored. */
enum file_state { IS_TEXT, IS_EMPTY, IS_BINARY, IS_TOO_BIG, IS_DENIED, IS_GONE, IS_SPECIAL, IS_BROKEN };

/* Files by folder and name, so that a folder is opened once for all its files. */
typedef struct {
    const char *folders, *names; /* each ended by NUL */
    const uint64_t *folder_at, *name_at;
    const uint32_t *folder_of;
    int32_t *descriptors; /* NULL, or files that somebody else opened: closed by who reads; below 0: -1 - file_state */
    uint64_t count;
} file_list;

typedef struct {
    uint8_t *raw, *wide;
    size_t raw_room, wide_room;
    int through_links; /* whether a folder of a path may be a link */
    int folder;        /* descriptor of the one opened last, or -1 */
    int folder_error;
    uint32_t folder_number;
} text_reader;

typedef struct {
    const uint8_t *text; /* PAD bytes behind it are line ends */
    size_t length;
    size_t skipped; /* bytes of a mark at the beginning of the file */
    int is_wide;    /* it was UTF-16 */
    uint64_t size, inode, device;
    int64_t changed_ns;
} file_text;

void reader_open(text_reader *reader, int through_links);
void reader_close(text_reader *reader);
enum file_state read_text(text_reader *reader, const file_list *files, uint64_t number, file_text *into);

/* Facts of bytes. */
enum { NOT_UTF8 = 1, ODD_LETTERS = 2 };
int text_facts(const uint8_t *text, size_t length);
void mend(uint8_t *text, size_t length, uint8_t with);
uint64_t line_ends(const uint8_t *from, const uint8_t *end);
const uint8_t *last_line_end(const uint8_t *from, const uint8_t *end);
int has_odd_letters(const uint8_t *text, size_t length);

/* One character of a needle, with all its spellings. */
typedef struct {
    uint8_t count, lengths[7], bytes[7][4];
} letter;

typedef struct {
    uint8_t *bytes; /* searched by themselves; in small letters when any case will do */
    size_t length;
    size_t rare[2]; /* places of the two bytes that are looked for first */
    int folded;
    letter *letters; /* NULL: the bytes say all */
    uint32_t letter_count;
    uint32_t anchor, anchor_end; /* which letters the bytes are; none when both are 0 */
    size_t before;               /* bytes of the letters before them */
    int has_odd;                 /* an ASCII letter of it has odd spellings, which few texts have */
    uint8_t firsts[32];          /* bit set of bytes that a match can begin with */
} needle;

typedef struct {
    const uint8_t *start, *end;
} span;

int needle_read(needle *into, const uint8_t **from, const uint8_t *end);
void needle_free(needle *one);
/* The first match in from..end; start is NULL when there is none. `odd` says that the text has odd letters. */
span needle_find(const needle *one, const uint8_t *from, const uint8_t *end, int odd);

#endif
