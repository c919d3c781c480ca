/* Building segments: the keys of 64 documents at a time in one table, turned into lists when a segment is full. */
#include "segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PART_BYTES = 1 << 16, /* a longer text is several documents */
    BLOCKS = MAX_DOCS / 64,
    TILE = 1024,          /* keys whose lists are made at once */
    MAX_PAIRS = 8 << 20,  /* of key and documents, in memory */
    LIST_ROOM = 2 * MAX_DOCS + 64,
    MAX_SEGMENTS = 256,
};
#define WORK_MAGIC 0x4B574E43u

/* What is to be indexed, as Python wrote it: this header, u64 folder_at[], u64 name_at[], u32 folder_of[], u32 ids[], the
 * folders and the names. */
typedef struct {
    uint64_t magic, count, folders, folder_bytes, name_bytes;
} work_header;

/* Shared with Python, field by field: what became of each segment. */
typedef struct {
    uint64_t size, checksum, docs, text_bytes;
} made_segment;

typedef struct {
    uint32_t *key;
    uint64_t *mask;
    uint64_t used, room;
    uint64_t start[BLOCKS + 1];
    int blocks, docs;
    uint64_t text_bytes;
    doc doc[MAX_DOCS];
    uint64_t *table, *wide; /* by key: which of the last 64 documents have it */
} segment;

/* ---- lists ---- */

typedef struct {
    uint8_t *at;
    uint64_t bits;
    int held;
} bit_writer;

static void put_bits(bit_writer *out, uint32_t value, int count) {
    out->bits |= (uint64_t)value << out->held, out->held += count;
    for (; out->held >= 8; out->held -= 8, out->bits >>= 8)
        *out->at++ = (uint8_t)out->bits;
}

/* Ascending numbers, all of them in low..high: the middle one first, which bounds the others. */
static void interpolate(bit_writer *out, const uint16_t *numbers, int count, uint32_t low, uint32_t high) {
    while (count) {
        if (high - low + 1 == (uint32_t)count)
            return; /* all of them: nothing to say */
        int middle = count / 2;
        uint32_t least = low + (uint32_t)middle, most = high - (uint32_t)(count - 1 - middle), span = most - least;
        if (span) {
            uint32_t value = numbers[middle] - least;
            int width = 32 - __builtin_clz(span);
            uint32_t short_ones = (uint32_t)((1ull << width) - span - 1); /* so many values need one bit less */
            if (value < short_ones) {
                put_bits(out, value, width - 1);
            } else {
                put_bits(out, (value + short_ones) >> 1, width - 1);
                put_bits(out, (value + short_ones) & 1, 1);
            }
        }
        interpolate(out, numbers, middle, low, numbers[middle] - 1u);
        low = numbers[middle] + 1u, numbers += middle + 1, count -= middle + 1;
    }
}

static uint8_t *put_list(uint8_t *at, const uint16_t *numbers, int count, int docs) {
    if (count >= docs / 5 && docs > 640) {
        memset(at, 0, 1 + (size_t)(docs + 7) / 8);
        for (int i = 0; i < count; i++)
            at[1 + (numbers[i] >> 3)] |= (uint8_t)(1 << (numbers[i] & 7));
        return at + 1 + (docs + 7) / 8;
    }
    if (count >= 128)
        *at++ = (uint8_t)(0x80 | count >> 8);
    *at++ = (uint8_t)count;
    bit_writer out = {at, 0, 0};
    interpolate(&out, numbers, count, 0, (uint32_t)docs - 1);
    if (out.held)
        *out.at++ = (uint8_t)out.bits;
    return out.at;
}

/* ---- one segment ---- */

/* Keep what the table has of the last documents, and clear it. */
static int block_done(segment *one) {
    if (one->used + KEYS > one->room) {
        uint64_t room = one->used + KEYS + (one->room >> 1);
        uint32_t *key = realloc(one->key, room * sizeof *key);
        if (key)
            one->key = key;
        uint64_t *mask = realloc(one->mask, room * sizeof *mask);
        if (mask)
            one->mask = mask;
        if (!key || !mask)
            return -1;
        one->room = room;
    }
    for (uint32_t k = 0; k < WIDE_KEYS / 2; k++) /* in the place of keys with a line's end in them */
        one->table[(uint32_t)LINE_END << (12 + NEXT_BITS) | k] = one->wide[k];
    for (uint32_t first = 0; first < 63; first++)
        for (uint32_t k = 0; k < 256; k++)
            one->table[first << (12 + NEXT_BITS) | (uint32_t)LINE_END << (6 + NEXT_BITS) | k] =
                one->wide[WIDE_KEYS / 2 + (first << 8) + k];
    memset(one->wide, 0, WIDE_KEYS * sizeof *one->wide);
    uint64_t used = one->used;
    for (uint32_t k = 0; k < KEYS; k += 8) {
        uint64_t *some = one->table + k, any = 0;
        for (int i = 0; i < 8; i++)
            any |= some[i];
        if (!any)
            continue;
        for (int i = 0; i < 8; i++) {
            uint32_t classes = (k + (uint32_t)i) >> NEXT_BITS;
            int is_wide = classes >> 12 == LINE_END || (classes >> 6 & 63) == LINE_END;
            one->key[used] = k + (uint32_t)i, one->mask[used] = some[i];
            used += some[i] && (is_wide || (classes & 63) != LINE_END);
        }
        memset(some, 0, 64);
    }
    one->used = used, one->start[++one->blocks] = used;
    return 0;
}

typedef struct {
    uint8_t *lists;
    uint64_t room, size;
    uint64_t top[GROUPS / 64];
    uint32_t before[GROUPS / 64];
    group groups[GROUPS];
    uint16_t sizes[KEYS];
    uint32_t list_count, group_count;
    uint16_t numbers[MAX_DOCS], block_of[TILE * BLOCKS];
    uint64_t mask_of[TILE * BLOCKS];
} lists_made;

static int make_lists(const segment *one, lists_made *made) {
    uint64_t cursor[BLOCKS];
    uint32_t first[TILE + 1], fill[TILE + 1];
    memcpy(cursor, one->start, sizeof cursor);
    for (uint32_t k = 0; k < KEYS; k++) {
        if (k % TILE == 0) { /* what all blocks have of the next keys, by key */
            memset(first, 0, sizeof first);
            for (int b = 0; b < one->blocks; b++)
                for (uint64_t c = cursor[b]; c < one->start[b + 1] && one->key[c] < k + TILE; c++)
                    first[one->key[c] - k + 1]++;
            for (int i = 0; i < TILE; i++)
                first[i + 1] += first[i];
            memcpy(fill, first, sizeof fill);
            for (int b = 0; b < one->blocks; b++)
                for (; cursor[b] < one->start[b + 1] && one->key[cursor[b]] < k + TILE; cursor[b]++) {
                    uint32_t to = fill[one->key[cursor[b]] - k]++;
                    made->block_of[to] = (uint16_t)b, made->mask_of[to] = one->mask[cursor[b]];
                }
        }
        int count = 0;
        for (uint32_t c = first[k % TILE]; c < first[k % TILE + 1]; c++)
            for (uint64_t mask = made->mask_of[c]; mask; mask &= mask - 1)
                made->numbers[count++] = (uint16_t)(made->block_of[c] * 64 + __builtin_ctzll(mask));
        if (!count)
            continue;
        if (made->size + LIST_ROOM > made->room) {
            uint64_t room = made->room + made->room / 2 + (4 << 20);
            uint8_t *bigger = realloc(made->lists, room);
            if (!bigger)
                return -1;
            made->lists = bigger, made->room = room;
        }
        uint32_t place = k / 64;
        if (!(made->top[place / 64] >> (place & 63) & 1)) {
            made->top[place / 64] |= 1ull << (place & 63);
            made->groups[made->group_count++] = (group){0, (uint32_t)made->size, made->list_count};
        }
        uint8_t *at = made->lists + made->size, *end = put_list(at, made->numbers, count, one->docs);
        made->groups[made->group_count - 1].mask |= 1ull << (k & 63);
        made->sizes[made->list_count++] = (uint16_t)(end - at);
        made->size += (uint64_t)(end - at);
        if (made->size >= UINT32_MAX - LIST_ROOM) {
            errno = EFBIG;
            return -1;
        }
    }
    for (uint32_t i = 1; i < GROUPS / 64; i++)
        made->before[i] = made->before[i - 1] + (uint32_t)__builtin_popcountll(made->top[i - 1]);
    return 0;
}

static int write_all(int fd, const uint8_t *data, size_t size) {
    while (size) {
        ssize_t done = write(fd, data, size < 1 << 24 ? size : 1 << 24);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        data += done, size -= (size_t)done;
    }
    return 0;
}

static int write_segment(segment *one, const char *path, made_segment *said) {
    lists_made *made = calloc(1, sizeof *made);
    if (!made || make_lists(one, made)) {
        if (made)
            free(made->lists);
        free(made);
        return -1;
    }
    segment_header head = {SEGMENT_MAGIC, SEGMENT_VERSION, (uint32_t)one->docs, made->group_count, made->list_count, 0,
                           made->size, one->text_bytes};
    struct {
        const void *data;
        size_t size;
    } part[] = {{&head, sizeof head}, {one->doc, sizeof(doc) * (size_t)one->docs}, {made->top, sizeof made->top},
                {made->before, sizeof made->before}, {made->groups, sizeof(group) * made->group_count},
                {made->sizes, (sizeof(uint16_t) * made->list_count + 7) & ~(size_t)7}, {made->lists, made->size}};
    int fd = open(path, O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0600), bad = fd < 0;
    *said = (made_segment){0, 0, (uint64_t)one->docs, one->text_bytes};
    for (size_t i = 0; i < sizeof part / sizeof *part && !bad; i++) {
        bad = write_all(fd, part[i].data, part[i].size);
        said->checksum = checksum(part[i].data, part[i].size, said->checksum);
        said->size += part[i].size;
    }
    if (fd >= 0) {
        bad = bad || fsync(fd);
        int trouble = errno;
        bad = close(fd) || bad;
        errno = trouble ? trouble : errno;
    }
    free(made->lists);
    free(made);
    one->used = 0, one->blocks = one->docs = 0, one->text_bytes = 0;
    return bad ? -1 : 0;
}

static void add_keys(segment *one, const uint8_t *text, size_t length, int is_ascii) {
    const uint8_t *classes = byte_classes();
    uint64_t bit = 1ull << (one->docs & 63), *table = one->table;
    uint32_t four = LINE_END << 12 | LINE_END << 6 | LINE_END;
    for (size_t i = 0; i < length; i++) {
        four = (four << 6 | classes[text[i]]) & 0xFFFFFF;
        table[key_of(four)] |= bit;
    }
    table[key_of((four << 6 | LINE_END) & 0xFFFFFF)] |= bit; /* a text that ends without a line's end */
    for (size_t at = 0, next; !is_ascii && at < length; at = next) {
        uint32_t key = wide_key(text, length, at, &next), classes_of = key >> NEXT_BITS;
        if (key == KEYS)
            continue;
        if (classes_of >> 12 == LINE_END)
            one->wide[key & (WIDE_KEYS / 2 - 1)] |= bit;
        else
            one->wide[WIDE_KEYS / 2 + (classes_of >> 12 << 8) + (key & 255)] |= bit;
    }
}

static int add_text(segment *one, const file_text *file, uint32_t id, uint64_t stamp, uint32_t flags) {
    uint64_t lines = 0;
    size_t to;
    for (size_t from = 0; from < file->length; from = to) {
        to = file->length;
        if (file->length - from > PART_BYTES) { /* cut where a line ends */
            const uint8_t *edge = last_line_end(file->text + from, file->text + from + PART_BYTES);
            if (!edge)
                edge = memchr(file->text + from + PART_BYTES, '\n', file->length - from - PART_BYTES);
            if (edge)
                to = (size_t)(edge + 1 - file->text);
        }
        const uint8_t *part = file->text + from;
        int facts = text_facts(part, to - from);
        int is_ascii = 1;
        for (size_t i = 0; i < to - from && is_ascii; i++)
            is_ascii = part[i] < 0x80;
        add_keys(one, part, to - from, is_ascii);
        flags = (flags & ~3u) | (facts & NOT_UTF8 ? DOC_NOT_UTF8 : 0u) | (facts & ODD_LETTERS ? DOC_ODD_LETTERS : 0u);
        one->doc[one->docs++] = (doc){stamp, id, (uint32_t)from, (uint32_t)(to - from), (uint32_t)lines, flags, 0};
        lines += to < file->length ? line_ends(part, file->text + to) : 0;
        if (!(one->docs & 63) && block_done(one))
            return -1;
    }
    one->text_bytes += file->length;
    return 0;
}

static int close_segment(segment *one, const char *prefix, made_segment *made, uint32_t *count) {
    char path[4096];
    if (!one->docs)
        return 0;
    if (*count == MAX_SEGMENTS || (size_t)snprintf(path, sizeof path, "%s.%03u", prefix, *count) >= sizeof path) {
        errno = EFBIG;
        return -1;
    }
    if (((one->docs & 63) && block_done(one)) || write_segment(one, path, &made[*count]))
        return -1;
    ++*count;
    return 0;
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

typedef struct {
    const file_list *files;
    const uint32_t *ids;
    uint64_t *stamps;
    uint8_t *states;
    volatile uint64_t *progress; /* files and bytes that were read, for who waits */
    const char *prefix;
    int64_t racy_ns; /* a file changed so shortly before it was read may change again without another time */
} build;

static int build_range(const build *ask, uint64_t from, uint64_t to, made_segment *made, uint32_t *count) {
    segment *one = calloc(1, sizeof *one);
    text_reader reader;
    int bad = !one;
    reader_open(&reader, 0);
    if (one) {
        one->table = calloc(KEYS, sizeof *one->table);
        one->wide = calloc(WIDE_KEYS, sizeof *one->wide);
        bad = !one->table || !one->wide;
    }
    for (uint64_t i = from; i < to && !bad; i++) {
        file_text file;
        int64_t before = now_ns();
        enum file_state state = read_text(&reader, ask->files, i, &file);
        ask->states[i] = (uint8_t)state;
        ask->stamps[i] = file_stamp(file.changed_ns, file.size, file.inode);
        ask->progress[0]++;
        if (state != IS_TEXT) {
            if (before - file.changed_ns < ask->racy_ns)
                ask->stamps[i] = 0; /* what it will be is not known */
            continue;
        }
        ask->progress[1] += file.length;
        uint32_t flags = (file.is_wide ? DOC_WIDE : 0u) | (before - file.changed_ns < ask->racy_ns ? DOC_RACY : 0u);
        /* All parts of a file are in one segment: the newest segment that has a file answers for all of it. */
        uint64_t parts = file.length > PART_BYTES ? 2 * file.length / PART_BYTES + 2 : 1;
        if ((uint64_t)one->docs + parts > MAX_DOCS || one->used > MAX_PAIRS)
            bad = close_segment(one, ask->prefix, made, count);
        bad = bad || add_text(one, &file, ask->ids[i], ask->stamps[i], flags);
    }
    int trouble = errno;
    bad = bad || close_segment(one, ask->prefix, made, count);
    trouble = bad && errno ? errno : trouble;
    reader_close(&reader);
    if (one)
        free(one->key), free(one->mask), free(one->table), free(one->wide);
    free(one);
    errno = trouble;
    return bad ? -1 : 0;
}

static const uint8_t *mapped(const char *path, int writable, size_t *size) {
    struct stat facts;
    int fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    void *at = MAP_FAILED;
    if (fd >= 0 && !fstat(fd, &facts) && facts.st_size > 0) {
        *size = (size_t)facts.st_size;
        at = mmap(NULL, *size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
    }
    int trouble = errno;
    if (fd >= 0)
        close(fd);
    errno = trouble;
    return at == MAP_FAILED ? NULL : at;
}

/* Index files from..to of a work file into segments prefix.000, prefix.001 … What became of each file goes to the notes:
 * u64 progress[2 * workers], u64 stamps[count], u8 states[count]. Answers the number of segments, or -errno. */
int cmdr_build_segments(const char *work, const char *notes, uint64_t workers, uint64_t worker, uint64_t from, uint64_t to,
                        const char *prefix, int64_t racy_ns, made_segment *made) {
    size_t work_size = 0, notes_size = 0;
    uint32_t count = 0;
    const uint8_t *given = mapped(work, 0, &work_size), *told = mapped(notes, 1, &notes_size);
    int trouble = given && told ? 0 : errno ? errno : EINVAL;
    const work_header *head = (const void *)given;
    if (!trouble && (work_size < sizeof *head || head->magic != WORK_MAGIC || head->count > UINT32_MAX ||
                     head->folders > UINT32_MAX || from > to || to > head->count || worker >= workers ||
                     work_size != sizeof *head + head->folders * 8 + head->count * 16 + head->folder_bytes + head->name_bytes ||
                     notes_size != workers * 16 + head->count * 9))
        trouble = EINVAL;
    if (!trouble) {
        file_list files = {.count = head->count};
        files.folder_at = (const uint64_t *)(given + sizeof *head);
        files.name_at = files.folder_at + head->folders;
        files.folder_of = (const uint32_t *)(files.name_at + head->count);
        build ask = {.files = &files, .ids = files.folder_of + head->count, .prefix = prefix, .racy_ns = racy_ns};
        files.folders = (const char *)(ask.ids + head->count);
        files.names = files.folders + head->folder_bytes;
        uint64_t *numbers = (uint64_t *)(uintptr_t)told;
        ask.progress = numbers + 2 * worker;
        ask.stamps = numbers + 2 * workers;
        ask.states = (uint8_t *)(ask.stamps + head->count);
        if (build_range(&ask, from, to, made, &count))
            trouble = errno ? errno : ENOMEM;
    }
    if (given)
        munmap((void *)(uintptr_t)given, work_size);
    if (told)
        munmap((void *)(uintptr_t)told, notes_size);
    return trouble ? -trouble : (int)count;
}
