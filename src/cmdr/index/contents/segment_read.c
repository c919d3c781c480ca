/* Asking a segment which of its documents can have some texts. Its checksum was compared before; all the same nothing is
 * read or written beyond its memory, whatever it says. */
#include "segments.h"

#include <stdlib.h>
#include <string.h>

enum { AND = KEYS, OR, ALL, MAX_STACK = 40 };

typedef struct {
    const doc *docs;
    const uint64_t *top;
    const uint32_t *before;
    const group *groups;
    const uint16_t *sizes;
    const uint8_t *lists;
    uint32_t doc_count, group_count, list_count;
    uint64_t payload;
} segment_view;

/* Where everything is; -1 when it does not fit into `size` bytes. */
static int open_segment(const uint8_t *data, uint64_t size, segment_view *into) {
    segment_header head;
    if (size < sizeof head || (uintptr_t)data % 8)
        return -1;
    memcpy(&head, data, sizeof head);
    if (head.magic != SEGMENT_MAGIC || head.version != SEGMENT_VERSION || !head.docs || head.docs > MAX_DOCS ||
        head.groups > GROUPS || head.lists > KEYS || head.payload > UINT32_MAX)
        return -1;
    uint64_t docs = sizeof head, top = docs + sizeof(doc) * head.docs, before = top + GROUPS / 64 * 8;
    uint64_t groups = before + GROUPS / 64 * 4, sizes = groups + sizeof(group) * head.groups;
    uint64_t lists = sizes + ((2ull * head.lists + 7) & ~7ull);
    if (lists + head.payload != size)
        return -1;
    *into = (segment_view){(const doc *)(data + docs), (const uint64_t *)(data + top), (const uint32_t *)(data + before),
                           (const group *)(data + groups), (const uint16_t *)(data + sizes), data + lists,
                           head.docs, head.groups, head.lists, head.payload};
    return 0;
}

/* How many documents a segment has, and where they begin; 0 when it is none. */
uint64_t cmdr_segment_docs(const uint8_t *data, uint64_t size, uint64_t *start) {
    segment_view view;
    if (open_segment(data, size, &view))
        return 0;
    *start = (uint64_t)((const uint8_t *)view.docs - data);
    return view.doc_count;
}

/* The list of a key: 1 when there is one, 0 when not, -1 when the segment is damaged. */
static int list_of(const segment_view *view, uint32_t key, const uint8_t **list, uint64_t *size) {
    uint32_t place = key / 64, word = place / 64;
    uint64_t top = view->top[word];
    if (!(top >> (place & 63) & 1))
        return 0;
    uint64_t number = view->before[word] + (uint64_t)__builtin_popcountll(top & ((1ull << (place & 63)) - 1));
    if (number >= view->group_count)
        return -1;
    group here = view->groups[number];
    if (!(here.mask >> (key & 63) & 1))
        return 0;
    uint64_t last = here.first + (uint64_t)__builtin_popcountll(here.mask & ((1ull << (key & 63)) - 1));
    if (last >= view->list_count)
        return -1;
    uint64_t at = here.payload;
    for (uint64_t i = here.first; i < last; i++)
        at += view->sizes[i];
    *size = view->sizes[last];
    if (!*size || at + *size > view->payload)
        return -1;
    *list = view->lists + at;
    return 1;
}

typedef struct {
    const uint8_t *at, *end;
    uint64_t bits;
    int held;
} bit_reader;

static uint32_t get_bits(bit_reader *in, int count) {
    for (; in->held < count; in->held += 8)
        in->bits |= in->at < in->end ? (uint64_t)*in->at++ << in->held : 0;
    uint32_t value = (uint32_t)(in->bits & ((1ull << count) - 1));
    in->bits >>= count, in->held -= count;
    return value;
}

static void fill(uint64_t *set, uint32_t low, uint32_t high) { /* high is below MAX_DOCS */
    for (uint32_t i = low; i <= high && i < MAX_DOCS; i++)
        set[i >> 6] |= 1ull << (i & 63);
}

/* `high` may be one below `low`, but only when nothing is left to read. */
static void read_numbers(bit_reader *in, uint64_t *set, uint32_t count, uint32_t low, uint32_t high) {
    while (count) {
        if (high + 1 - low <= count) {
            if (high + 1 > low)
                fill(set, low, high);
            return;
        }
        uint32_t middle = count / 2, least = low + middle, span = high - (count - 1 - middle) - least, value = 0;
        if (span) {
            int width = 32 - __builtin_clz(span);
            uint32_t short_ones = (uint32_t)((1ull << width) - span - 1);
            value = width > 1 ? get_bits(in, width - 1) : 0;
            if (value >= short_ones)
                value = (value << 1 | get_bits(in, 1)) - short_ones;
            if (value > span)
                value = span;
        }
        value += least;
        set[value >> 6 & (DOC_WORDS - 1)] |= 1ull << (value & 63);
        if (middle)
            read_numbers(in, set, middle, low, value - 1);
        low = value + 1, count -= middle + 1;
    }
}

static int read_list(const segment_view *view, uint32_t key, uint64_t *set) {
    const uint8_t *list = NULL;
    uint64_t size = 0;
    int found = list_of(view, key, &list, &size);
    if (found <= 0)
        return found;
    const uint8_t *end = list + size;
    uint32_t count = *list++;
    if (!count) {
        if (size != 1 + (view->doc_count + 7) / 8)
            return -1;
        memcpy(set, list, size - 1);
        return 0;
    }
    if (count & 0x80) {
        if (list == end)
            return -1;
        count = (count & 0x7F) << 8 | *list++;
    }
    if (count > view->doc_count)
        return -1;
    bit_reader in = {list, end, 0, 0};
    read_numbers(&in, set, count, 0, view->doc_count - 1);
    return 0;
}

/* Which documents may have what a program over sets of them asks for: a key puts its documents on a stack, ALL puts all,
 * AND and OR join the two on top. Answers how many, with their bits in `out`; -1 when segment or program are damaged. */
int cmdr_segment_candidates(const uint8_t *data, uint64_t size, const uint32_t *program, uint64_t length, uint64_t *out) {
    segment_view view;
    if (open_segment(data, size, &view))
        return -1;
    uint64_t(*stack)[DOC_WORDS] = malloc(sizeof(uint64_t[MAX_STACK][DOC_WORDS]));
    if (!stack)
        return -1;
    uint32_t top = 0;
    int bad = 0;
    for (uint64_t i = 0; i < length && !bad; i++) {
        uint32_t step = program[i];
        if (step < KEYS || step == ALL) {
            if ((bad = top == MAX_STACK))
                break;
            uint64_t *set = stack[top++];
            memset(set, 0, sizeof stack[0]);
            if (step == ALL)
                fill(set, 0, view.doc_count - 1);
            else
                bad = read_list(&view, step, set);
            continue;
        }
        if ((bad = step > ALL || top < 2))
            break;
        uint64_t *one = stack[top - 2], *other = stack[--top];
        for (int w = 0; w < DOC_WORDS; w++)
            one[w] = step == AND ? one[w] & other[w] : one[w] | other[w];
    }
    int count = 0;
    bad = bad || top != 1;
    for (int w = 0; w < DOC_WORDS && !bad; w++) {
        out[w] = stack[0][w];
        count += __builtin_popcountll(out[w]);
    }
    free(stack);
    return bad ? -1 : count;
}

/* The checksum of a segment as it was made when it was written, part by part; 0 when it is none. */
uint64_t cmdr_segment_checksum(const uint8_t *data, uint64_t size) {
    segment_view view;
    if (open_segment(data, size, &view))
        return 0;
    const uint8_t *edges[] = {data, (const uint8_t *)view.docs, (const uint8_t *)view.top, (const uint8_t *)view.before,
                              (const uint8_t *)view.groups, (const uint8_t *)view.sizes, view.lists, data + size};
    uint64_t sum = 0;
    for (int i = 0; i < 7; i++)
        sum = checksum(edges[i], (size_t)(edges[i + 1] - edges[i]), sum);
    return sum;
}
