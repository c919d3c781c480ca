/* Looking through many files in threads: lines with a needle, or whole texts, in the order of the files.
 *
 * Files are taken in portions; what a portion brings is handed over in chunks. A thread never runs far ahead of who
 * takes the chunks, so that neither memory nor work is wasted on what nobody waits for. Whoever started a job may leave
 * it at any moment: a thread that hangs in a dead file system keeps the job's memory, and nothing else.
 */
#include "contents.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { AHEAD = 16, MAX_THREADS = 16, MAX_NEEDLES = 64 };
#define CHUNK_BYTES ((size_t)4 << 20)
#define WAITING_BYTES ((size_t)64 << 20) /* of chunks that nobody took yet */
#define PIECE_BYTES ((size_t)256 << 10)  /* of whole texts: so much is looked at between two looks at the clock */

enum scan_mode { LINES, CANDIDATES, WHOLE };

/* Shared with Python, field by field. */
typedef struct {
    uint64_t bytes, count; /* read; lines that match */
    uint32_t file, state, first, kept;
} file_record;

typedef struct {
    uint64_t offset, text_at; /* where the line begins in the text of the file, and its own text in the chunk */
    uint32_t line, length;    /* its number, and the length of the text that is kept */
    uint32_t start, end;      /* of the match in that text */
    uint32_t facts, file;
} line_record;

typedef struct {
    uint32_t mode, lines_per_file, count_lines, max_line, threads, needles, has_descriptors;
    uint32_t portion; /* files that a thread takes at once */
} scan_options;

typedef struct chunk {
    struct chunk *next;
    file_record *files;
    line_record *lines;
    uint8_t *text;
    uint64_t file_count, line_count, text_size;
    uint64_t file_room, line_room, text_room;
} chunk;

typedef struct {
    chunk *first, *last;
    int done;
} portion;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t ready, room;
    int users;
    atomic_int left; /* nobody waits for it any more */
    file_list files;
    void *memory; /* of the list */
    needle needles[MAX_NEEDLES];
    scan_options options;
    uint64_t portions, next, current, taken_bytes, waiting;
    portion *all;
    int failed;
} job;

static void *grown(void *old, uint64_t *room, uint64_t wanted, size_t size) {
    if (wanted <= *room)
        return old;
    uint64_t bigger = wanted + wanted / 2 + 16;
    void *made = realloc(old, bigger * size);
    if (made)
        *room = bigger;
    else
        free(old);
    return made;
}

static size_t chunk_bytes(const chunk *one) {
    return one->text_size + one->line_count * sizeof(line_record) + one->file_count * sizeof(file_record);
}

static void chunk_drop(chunk *one) {
    if (!one)
        return;
    free(one->files);
    free(one->lines);
    free(one->text);
    free(one);
}

static void job_drop(job *one) { /* with the lock */
    int users = --one->users;
    pthread_mutex_unlock(&one->lock);
    if (users)
        return;
    for (uint64_t i = 0; i < one->portions; i++)
        for (chunk *c = one->all[i].first, *next; c; c = next) {
            next = c->next;
            chunk_drop(c);
        }
    for (uint32_t i = 0; i < one->options.needles; i++)
        needle_free(&one->needles[i]);
    for (uint64_t i = 0; one->files.descriptors && i < one->files.count; i++)
        if (one->files.descriptors[i] >= 0)
            close(one->files.descriptors[i]);
    pthread_mutex_destroy(&one->lock);
    pthread_cond_destroy(&one->ready);
    pthread_cond_destroy(&one->room);
    free(one->all);
    free(one->memory);
    free(one);
}

/* ---- one file ---- */

typedef struct {
    job *job;
    text_reader reader;
    chunk *out;
} worker;

static int add_line(chunk *out, line_record record, const uint8_t *text) {
    out->text = grown(out->text, &out->text_room, out->text_size + record.length + PAD, 1);
    out->lines = grown(out->lines, &out->line_room, out->line_count + 1, sizeof(line_record));
    if (!out->text || !out->lines)
        return -1;
    record.text_at = out->text_size;
    memcpy(out->text + out->text_size, text, record.length);
    out->text_size += record.length;
    out->lines[out->line_count++] = record;
    return 0;
}

/* The part of a line around its match that is kept. */
static void keep_part(line_record *record, const uint8_t **text, uint32_t most) {
    if (record->length <= most)
        return;
    uint32_t skip = record->start > most / 2 ? record->start - most / 2 : 0;
    if (skip > record->length - most)
        skip = record->length - most;
    *text += skip;
    record->length = most;
    record->start -= skip;
    record->end = record->end - skip < most ? record->end - skip : most;
}

/* All lines with a needle: the first ones are kept, all are counted. Files are never cut off silently. */
static int look(worker *work, const file_text *file, file_record *said) {
    const job *job = work->job;
    const scan_options *ask = &job->options;
    const uint8_t *from = file->text, *end = file->text + file->length, *counted = from;
    uint64_t line = 1;
    span next[MAX_NEEDLES];
    int odd = 0;
    for (uint32_t k = 0; k < ask->needles && !odd; k++)
        odd = job->needles[k].has_odd && has_odd_letters(from, file->length);
    for (uint32_t k = 0; k < ask->needles; k++)
        next[k] = needle_find(&job->needles[k], from, end, odd);
    uint32_t most = ask->mode == CANDIDATES ? UINT32_MAX : ask->lines_per_file;
    for (;;) {
        span hit = {NULL, NULL};
        for (uint32_t k = 0; k < ask->needles; k++)
            if (next[k].start && (!hit.start || next[k].start < hit.start))
                hit = next[k];
        if (!hit.start)
            return 0;
        said->count++;
        if (!most && !ask->count_lines)
            return 0;
        const uint8_t *before = last_line_end(from, hit.start), *stop = memchr(hit.end, '\n', (size_t)(end - hit.end));
        const uint8_t *start = before ? before + 1 : from;
        if (!stop)
            stop = end;
        if (said->kept < most) {
            line += line_ends(counted, start), counted = start;
            line_record record = {.line = (uint32_t)line, .length = (uint32_t)(stop - start), .file = said->file};
            record.start = (uint32_t)(hit.start - start), record.end = (uint32_t)(hit.end - start);
            record.offset = (uint64_t)(start - file->text);
            const uint8_t *text = start;
            if (ask->mode == LINES)
                keep_part(&record, &text, ask->max_line);
            else
                record.facts = (uint32_t)text_facts(start, record.length);
            if (add_line(work->out, record, text))
                return -1;
            said->kept++;
        }
        if (stop == end || (!ask->count_lines && ask->mode == LINES))
            return 0;
        from = stop + 1;
        for (uint32_t k = 0; k < ask->needles; k++)
            if (next[k].start && next[k].start < from)
                next[k] = needle_find(&job->needles[k], from, end, odd);
    }
}

/* The whole text in pieces of whole lines. */
static int take_whole(worker *work, const file_text *file, file_record *said) {
    const uint8_t *from = file->text, *end = file->text + file->length;
    uint64_t line = 1;
    while (from < end) {
        const uint8_t *stop = end;
        if ((size_t)(end - from) > PIECE_BYTES) {
            stop = last_line_end(from, from + PIECE_BYTES);
            if (!stop)
                stop = memchr(from + PIECE_BYTES, '\n', (size_t)(end - from) - PIECE_BYTES);
            stop = stop ? stop + 1 : end;
        }
        line_record record = {.line = (uint32_t)line, .length = (uint32_t)(stop - from), .file = said->file};
        record.offset = (uint64_t)(from - file->text);
        record.facts = (uint32_t)text_facts(from, record.length);
        if (add_line(work->out, record, from))
            return -1;
        said->kept++;
        line += line_ends(from, stop);
        from = stop;
    }
    return 0;
}

static int scan_file(worker *work, uint64_t number) {
    file_text file;
    file_record said = {.file = (uint32_t)number, .first = (uint32_t)work->out->line_count};
    said.state = read_text(&work->reader, &work->job->files, number, &file);
    if (said.state == IS_TEXT) {
        said.bytes = file.length;
        if (work->job->options.mode == WHOLE ? take_whole(work, &file, &said) : look(work, &file, &said))
            return -1;
    }
    chunk *out = work->out;
    out->files = grown(out->files, &out->file_room, out->file_count + 1, sizeof(file_record));
    if (!out->files)
        return -1;
    out->files[out->file_count++] = said;
    return 0;
}

/* ---- threads ---- */

static int hand_over(worker *work, uint64_t number, int done) { /* 0, or -1 when the job was left */
    job *job = work->job;
    size_t bytes = chunk_bytes(work->out);
    pthread_mutex_lock(&job->lock);
    while (!job->left && number != job->current && job->waiting + bytes > WAITING_BYTES)
        pthread_cond_wait(&job->room, &job->lock);
    while (!job->left && number == job->current && job->all[number].first && job->waiting > WAITING_BYTES)
        pthread_cond_wait(&job->room, &job->lock);
    int left = job->left;
    if (left) {
        chunk_drop(work->out);
    } else {
        portion *one = &job->all[number];
        if (one->last)
            one->last->next = work->out;
        else
            one->first = work->out;
        one->last = work->out;
        one->done = done;
        job->waiting += bytes;
        if (number == job->current)
            pthread_cond_signal(&job->ready);
    }
    pthread_mutex_unlock(&job->lock);
    work->out = NULL;
    return left ? -1 : 0;
}

static int scan_portion(worker *work, uint64_t number) {
    uint64_t from = number * work->job->options.portion, to = from + work->job->options.portion;
    if (to > work->job->files.count)
        to = work->job->files.count;
    for (; from < to; from++) {
        if (!work->out && !(work->out = calloc(1, sizeof *work->out)))
            return -1;
        if (work->job->left || scan_file(work, from))
            return -1;
        if (from + 1 < to && chunk_bytes(work->out) > CHUNK_BYTES && hand_over(work, number, 0))
            return -1;
    }
    return work->out ? hand_over(work, number, 1) : 0;
}

static void *scan_some(void *given) {
    worker work = {.job = given};
    job *job = given;
    reader_open(&work.reader, 1);
    for (;;) {
        pthread_mutex_lock(&job->lock);
        while (!job->left && job->next < job->portions && job->next >= job->current + AHEAD)
            pthread_cond_wait(&job->room, &job->lock);
        uint64_t number = job->next;
        int over = job->left || number >= job->portions;
        if (!over)
            job->next++;
        pthread_mutex_unlock(&job->lock);
        if (over)
            break;
        if (scan_portion(&work, number)) {
            pthread_mutex_lock(&job->lock);
            if (!job->left)
                job->failed = 1; /* no memory */
            job->left = 1;
            pthread_cond_broadcast(&job->ready);
            pthread_cond_broadcast(&job->room);
            pthread_mutex_unlock(&job->lock);
            break;
        }
    }
    chunk_drop(work.out);
    reader_close(&work.reader);
    pthread_mutex_lock(&job->lock);
    job_drop(job);
    return NULL;
}

static void *copied(uint8_t **to, const void *from, size_t size) {
    void *made = *to;
    memcpy(made, from, size);
    *to += (size + 7) & ~(size_t)7;
    return made;
}

static int start_threads(job *one) {
    pthread_attr_t how;
    uint32_t started = 0;
    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&how, 256 << 10);
    pthread_mutex_lock(&one->lock);
    for (uint32_t i = 0; i < one->options.threads && i < MAX_THREADS; i++) {
        pthread_t id;
        one->users++;
        if (pthread_create(&id, &how, scan_some, one)) {
            one->users--;
            break;
        }
        started++;
    }
    pthread_mutex_unlock(&one->lock);
    pthread_attr_destroy(&how);
    return started ? 0 : -1;
}

static void make_conditions(job *one) {
    pthread_condattr_t how;
    pthread_condattr_init(&how);
#ifdef __linux__
    pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
#endif
    pthread_mutex_init(&one->lock, NULL);
    pthread_cond_init(&one->ready, &how);
    pthread_cond_init(&one->room, &how);
    pthread_condattr_destroy(&how);
}

/* Begin to look through files; everything given is copied, and descriptors are closed here, also when it fails. NULL when there is no memory or no thread. */
void *cmdr_scan_start(const file_list *files, uint64_t folders, uint64_t folder_bytes, uint64_t name_bytes,
                      const uint8_t *needles, uint64_t needle_bytes, const scan_options *options) {
    job *one = calloc(1, sizeof *one);
    size_t size = folder_bytes + name_bytes + folders * 8 + files->count * 16 + 64;
    if (!one) {
        for (uint64_t i = 0; options->has_descriptors && i < files->count; i++)
            if (files->descriptors[i] >= 0)
                close(files->descriptors[i]);
        return NULL;
    }
    one->users = 1;
    one->options = *options;
    one->options.needles = 0;
    one->options.portion = options->portion ? options->portion : 1;
    one->portions = (files->count + one->options.portion - 1) / one->options.portion;
    one->memory = malloc(size);
    one->all = calloc(one->portions + 1, sizeof *one->all);
    make_conditions(one);
    if (one->memory && one->all && options->needles <= MAX_NEEDLES) {
        uint8_t *to = one->memory;
        one->files.count = files->count;
        one->files.folder_at = copied(&to, files->folder_at, folders * 8);
        one->files.name_at = copied(&to, files->name_at, files->count * 8);
        one->files.folder_of = copied(&to, files->folder_of, files->count * 4);
        one->files.folders = copied(&to, files->folders, folder_bytes);
        one->files.names = copied(&to, files->names, name_bytes);
        if (options->has_descriptors)
            one->files.descriptors = copied(&to, files->descriptors, files->count * 4);
        const uint8_t *at = needles, *end = needles + needle_bytes;
        while (one->options.needles < options->needles && !needle_read(&one->needles[one->options.needles], &at, end))
            one->options.needles++;
        if (one->options.needles == options->needles && !start_threads(one))
            return one;
        if (one->options.needles < options->needles)
            needle_free(&one->needles[one->options.needles]);
    }
    for (uint64_t i = 0; options->has_descriptors && !one->files.descriptors && i < files->count; i++)
        if (files->descriptors[i] >= 0)
            close(files->descriptors[i]);
    pthread_mutex_lock(&one->lock);
    job_drop(one);
    return NULL;
}

static struct timespec moment(uint32_t milliseconds) {
    struct timespec when;
#ifdef __linux__
    clock_gettime(CLOCK_MONOTONIC, &when);
#else
    clock_gettime(CLOCK_REALTIME, &when);
#endif
    uint64_t ns = (uint64_t)when.tv_nsec + (uint64_t)milliseconds * 1000000;
    when.tv_sec += (time_t)(ns / 1000000000);
    when.tv_nsec = (long)(ns % 1000000000);
    return when;
}

/* Wait for the next chunk: 1 when `into` is one, which is to be freed; 0 when none came in time; 2 when that was all;
 * -1 when there was no memory for what was found. */
int cmdr_scan_next(void *given, uint32_t milliseconds, chunk **into) {
    job *one = given;
    struct timespec until = moment(milliseconds);
    int said = 0;
    pthread_mutex_lock(&one->lock);
    for (;;) {
        if (one->failed) {
            said = -1;
            break;
        }
        if (one->current == one->portions) {
            said = 2;
            break;
        }
        portion *here = &one->all[one->current];
        if (here->first) {
            *into = here->first;
            here->first = (*into)->next;
            if (!here->first)
                here->last = NULL;
            one->waiting -= chunk_bytes(*into);
            if (!here->first && here->done)
                one->current++;
            pthread_cond_broadcast(&one->room);
            said = 1;
            break;
        }
        if (pthread_cond_timedwait(&one->ready, &one->lock, &until) == ETIMEDOUT)
            break;
    }
    pthread_mutex_unlock(&one->lock);
    return said;
}

void cmdr_chunk_free(chunk *one) { chunk_drop(one); }

/* Leave a job, finished or not. */
void cmdr_scan_leave(void *given) {
    job *one = given;
    pthread_mutex_lock(&one->lock);
    one->left = 1;
    pthread_cond_broadcast(&one->room);
    job_drop(one);
}

/* ---- lines for the engine of regular expressions ---- */

/* How many lines some pieces of text have; with room they are told one by one. */
uint64_t cmdr_split_lines(const uint8_t *text, const line_record *pieces, uint64_t count, line_record *into, uint64_t room) {
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *start = text + pieces[i].text_at, *end = start + pieces[i].length, *stop;
        uint64_t line = pieces[i].line;
        for (const uint8_t *at = start; at < end; at = stop + 1, found++, line++) {
            stop = memchr(at, '\n', (size_t)(end - at));
            if (!stop)
                stop = end;
            if (found >= room)
                continue;
            line_record one = {.line = (uint32_t)line, .length = (uint32_t)(stop - at), .file = pieces[i].file};
            one.text_at = (uint64_t)(at - text);
            one.offset = pieces[i].offset + (uint64_t)(at - start);
            one.facts = pieces[i].facts & NOT_UTF8 ? (uint32_t)text_facts(at, one.length) : 0;
            into[found] = one;
        }
    }
    return found;
}

/* Of each piece the line at a place in it. */
void cmdr_lines_at(const uint8_t *text, const line_record *pieces, uint64_t count, const uint32_t *places,
                   line_record *into) {
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *start = text + pieces[i].text_at, *end = start + pieces[i].length;
        const uint8_t *at = start + (places[i] < pieces[i].length ? places[i] : pieces[i].length);
        const uint8_t *before = last_line_end(start, at), *stop = memchr(at, '\n', (size_t)(end - at));
        const uint8_t *from = before ? before + 1 : start;
        into[i] = pieces[i];
        into[i].text_at = (uint64_t)(from - text);
        into[i].length = (uint32_t)((stop ? stop : end) - from);
    }
}

/* Arrow's string views of lines, without a copy; what is no UTF-8 is copied and mended, into a second buffer. */
void cmdr_line_views(const uint8_t *text, const line_record *lines, uint64_t count, uint8_t with, uint32_t (*views)[4],
                     uint8_t *mended) {
    uint64_t used = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *from = text + lines[i].text_at;
        uint32_t length = lines[i].length, at = (uint32_t)lines[i].text_at, buffer = 0;
        if (lines[i].facts & NOT_UTF8) {
            memcpy(mended + used, from, length);
            mend(mended + used, length, with);
            from = mended + used, at = (uint32_t)used, buffer = 1;
            used += length;
        }
        memset(views[i], 0, sizeof views[i]);
        views[i][0] = length;
        memcpy(&views[i][1], from, length <= 12 ? length : 4);
        if (length > 12)
            views[i][2] = buffer, views[i][3] = at;
    }
}

/* The structures through which Arrow's data passes from one library to another; they own nothing. */
typedef struct arrow_schema {
    const char *format, *name, *metadata;
    int64_t flags, child_count;
    struct arrow_schema **children, *dictionary;
    void (*release)(struct arrow_schema *);
    void *private_data;
} arrow_schema;

typedef struct arrow_array {
    int64_t length, null_count, offset, buffer_count, child_count;
    const void **buffers;
    struct arrow_array **children, *dictionary;
    void (*release)(struct arrow_array *);
    void *private_data;
} arrow_array;

static void release_schema(arrow_schema *one) { one->release = NULL; }
static void release_array(arrow_array *one) { one->release = NULL; }

/* `buffers` are: none, views, texts, mended texts, sizes of the two before. */
void cmdr_arrow_views(arrow_schema *schema, arrow_array *array, int64_t length, const void **buffers) {
    *schema = (arrow_schema){.format = "vu", .name = "", .release = release_schema};
    *array = (arrow_array){.length = length, .buffer_count = 5, .buffers = buffers, .release = release_array};
}
