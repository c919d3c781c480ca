/* Finding a needle in a text: the two rarest of its bytes are compared many places at a time.
 *
 * In any case, a letter has several spellings: `k` is also `K` and the sign for kelvin. Most texts have none of the
 * unusual ones, so that comparing small letters is enough there; the others are compared letter by letter.
 */
#include "contents.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

static uint8_t lower[256], rank[256];

static void __attribute__((constructor)) make_tables(void) {
    static const char common[] = " etrnaiosldcpumfhg_.,()=\"'-:;/b0y1kvw"; /* in source and prose, most common first */
    for (int c = 0; c < 256; c++)
        lower[c] = (uint8_t)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    for (int i = 0; common[i]; i++)
        rank[(uint8_t)common[i]] = (uint8_t)(100 - i);
    for (int c = 'A'; c <= 'Z'; c++)
        rank[c] = rank[c + 32] / 2;
    rank[0xC3] = rank[0xD0] = rank[0xD1] = rank[0xE2] = rank[0xE3] = rank[0x80] = 90; /* lead whole scripts */
}

static int is_small(uint8_t c) { return c >= 'a' && c <= 'z'; }

static int is_here(const needle *one, const uint8_t *at) {
    if (!one->folded)
        return !memcmp(at, one->bytes, one->length);
    for (size_t i = 0; i < one->length; i++)
        if (lower[at[i]] != one->bytes[i])
            return 0;
    return 1;
}

typedef const uint8_t *(*finder)(const needle *, const uint8_t *, const uint8_t *);

static const uint8_t *find_plainly(const needle *one, const uint8_t *from, const uint8_t *last) {
    uint8_t wanted = one->bytes[one->rare[0]];
    for (; from <= last; from++) {
        uint8_t seen = from[one->rare[0]];
        if ((one->folded ? lower[seen] : seen) == wanted && is_here(one, from))
            return from;
    }
    return NULL;
}

#if defined(__x86_64__)
#define FIND_WIDE(name, attribute, vector, width, set, load, or, equal, and, bits_of)                                  \
    attribute static const uint8_t *name(const needle *one, const uint8_t *from, const uint8_t *last) {                \
        uint8_t c1 = one->bytes[one->rare[0]], c2 = one->bytes[one->rare[1]];                                          \
        vector w1 = set((char)c1), w2 = set((char)c2);                                                                 \
        vector m1 = set(one->folded && is_small(c1) ? 32 : 0), m2 = set(one->folded && is_small(c2) ? 32 : 0);         \
        for (; from <= last; from += width) {                                                                          \
            vector x = equal(or(load((const void *)(from + one->rare[0])), m1), w1);                                   \
            vector y = equal(or(load((const void *)(from + one->rare[1])), m2), w2);                                   \
            for (uint32_t bits = (uint32_t)bits_of(and(x, y)); bits; bits &= bits - 1) {                               \
                const uint8_t *at = from + __builtin_ctz(bits);                                                        \
                if (at > last)                                                                                         \
                    return NULL;                                                                                       \
                if (is_here(one, at))                                                                                  \
                    return at;                                                                                         \
            }                                                                                                          \
        }                                                                                                              \
        return NULL;                                                                                                   \
    }
FIND_WIDE(find_avx2, __attribute__((target("avx2"))), __m256i, 32, _mm256_set1_epi8, _mm256_loadu_si256,
          _mm256_or_si256, _mm256_cmpeq_epi8, _mm256_and_si256, _mm256_movemask_epi8)
FIND_WIDE(find_sse2, , __m128i, 16, _mm_set1_epi8, _mm_loadu_si128, _mm_or_si128, _mm_cmpeq_epi8, _mm_and_si128,
          _mm_movemask_epi8)

__attribute__((target("avx2,popcnt"))) static uint64_t line_ends_avx2(const uint8_t *from, const uint8_t *end) {
    uint64_t count = 0;
    __m256i wanted = _mm256_set1_epi8('\n');
    for (; end - from >= 32; from += 32) {
        __m256i seen = _mm256_cmpeq_epi8(_mm256_loadu_si256((const void *)from), wanted);
        count += (uint64_t)__builtin_popcount((uint32_t)_mm256_movemask_epi8(seen));
    }
    for (; from < end; from++)
        count += *from == '\n';
    return count;
}
#elif defined(__aarch64__)
static const uint8_t *find_neon(const needle *one, const uint8_t *from, const uint8_t *last) {
    uint8_t c1 = one->bytes[one->rare[0]], c2 = one->bytes[one->rare[1]];
    uint8x16_t w1 = vdupq_n_u8(c1), w2 = vdupq_n_u8(c2);
    uint8x16_t m1 = vdupq_n_u8(one->folded && is_small(c1) ? 32 : 0), m2 = vdupq_n_u8(one->folded && is_small(c2) ? 32 : 0);
    for (; from <= last; from += 16) {
        uint8x16_t x = vceqq_u8(vorrq_u8(vld1q_u8(from + one->rare[0]), m1), w1);
        uint8x16_t y = vceqq_u8(vorrq_u8(vld1q_u8(from + one->rare[1]), m2), w2);
        uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_u8(vandq_u8(x, y)), 4); /* four bits of each byte */
        for (uint64_t bits = vget_lane_u64(vreinterpret_u64_u8(narrow), 0) & 0x8888888888888888u; bits; bits &= bits - 1) {
            const uint8_t *at = from + (__builtin_ctzll(bits) >> 2);
            if (at > last)
                return NULL;
            if (is_here(one, at))
                return at;
        }
    }
    return NULL;
}
#endif

static uint64_t line_ends_plainly(const uint8_t *from, const uint8_t *end) {
    uint64_t count = 0;
    for (; from < end; from++)
        count += *from == '\n';
    return count;
}

static finder find_bytes = find_plainly;
static uint64_t (*count_line_ends)(const uint8_t *, const uint8_t *) = line_ends_plainly;

/* Use what this machine has, or less for tests: 0 plain, 1 the widest that every such processor has, 2 the best. */
int cmdr_contents_level(int wanted) {
    int level = 0;
    find_bytes = find_plainly, count_line_ends = line_ends_plainly;
#if defined(__x86_64__)
    if (wanted >= 1)
        level = 1, find_bytes = find_sse2;
    if (wanted >= 2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
        level = 2, find_bytes = find_avx2, count_line_ends = line_ends_avx2;
#elif defined(__aarch64__)
    if (wanted >= 1)
        level = 1, find_bytes = find_neon;
#endif
    return level;
}

static void __attribute__((constructor)) choose(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    cmdr_contents_level(2);
}

int cmdr_contents_version(void) { return CONTENTS_VERSION; }

uint64_t line_ends(const uint8_t *from, const uint8_t *end) { return count_line_ends(from, end); }

static const uint8_t *find_simple(const needle *one, const uint8_t *from, const uint8_t *end) {
    if ((size_t)(end - from) < one->length)
        return NULL;
    return find_bytes(one, from, end - one->length);
}

/* Behind the letters from..to when they stand at `at`, or NULL. */
static const uint8_t *letters_at(const needle *one, uint32_t from, uint32_t to, const uint8_t *at, const uint8_t *end) {
    for (; from < to; from++) {
        const letter *want = &one->letters[from];
        int k = 0;
        for (; k < want->count; k++)
            if ((size_t)(end - at) >= want->lengths[k] && !memcmp(at, want->bytes[k], want->lengths[k]))
                break;
        if (k == want->count)
            return NULL;
        at += want->lengths[k];
    }
    return at;
}

span needle_find(const needle *one, const uint8_t *from, const uint8_t *end, int odd) {
    odd = odd && one->has_odd;
    if (!odd && one->anchor_end - one->anchor == one->letter_count) { /* also when it has no letters at all */
        const uint8_t *at = find_simple(one, from, end);
        return (span){at, at ? at + one->length : NULL};
    }
    if (!odd && one->anchor_end > one->anchor) {
        for (const uint8_t *at = from; (at = find_simple(one, at, end)); at++) {
            if ((size_t)(at - from) < one->before)
                continue;
            const uint8_t *start = at - one->before;
            const uint8_t *stop = letters_at(one, 0, one->letter_count, start, end);
            if (stop)
                return (span){start, stop};
        }
        return (span){NULL, NULL};
    }
    for (const uint8_t *at = from; at < end; at++) {
        if (!(one->firsts[*at >> 3] >> (*at & 7) & 1))
            continue;
        const uint8_t *stop = letters_at(one, 0, one->letter_count, at, end);
        if (stop)
            return (span){at, stop};
    }
    return (span){NULL, NULL};
}

static void choose_rare(needle *one) {
    size_t a = 0, b = 0;
    for (size_t i = 1; i < one->length; i++)
        if (rank[one->bytes[i]] < rank[one->bytes[a]])
            a = i;
    if (one->length > 1)
        b = a ? 0 : one->length - 1;
    for (size_t i = 0; i < one->length; i++)
        if (i != a && rank[one->bytes[i]] < rank[one->bytes[b]])
            b = i;
    one->rare[0] = a, one->rare[1] = b;
}

/* An ASCII letter, whose odd spellings are looked for only in texts that have such. */
static int is_simple(const letter *one) { return one->lengths[0] == 1 && one->bytes[0][0] < 0x80; }

static int read_letters(needle *into, const uint8_t **from, const uint8_t *end) {
    const uint8_t *at = *from;
    for (uint32_t i = 0; i < into->letter_count; i++) {
        letter *one = &into->letters[i];
        if (at >= end || !*at || *at > 7)
            return -1;
        one->count = *at++;
        for (int k = 0; k < one->count; k++) {
            if (at >= end || !*at || *at > 4 || end - at < 1 + *at)
                return -1;
            one->lengths[k] = *at++;
            memcpy(one->bytes[k], at, one->lengths[k]);
            at += one->lengths[k];
            if (!i)
                into->firsts[one->bytes[k][0] >> 3] |= (uint8_t)(1 << (one->bytes[k][0] & 7));
        }
    }
    *from = at;
    return 0;
}

/* Which part of the letters is searched by its bytes: the longest stretch of simple ones that stands at the same distance
 * from the beginning in every spelling. */
static void choose_bytes(needle *into) {
    uint32_t n = into->letter_count;
    size_t before = 0;
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < into->letters[i].count && is_simple(&into->letters[i]); k++)
            into->has_odd |= into->letters[i].lengths[k] > 1;
    for (uint32_t i = 0; i < n;) {
        uint32_t to = i;
        while (to < n && is_simple(&into->letters[to]))
            to++;
        if (to - i > into->anchor_end - into->anchor)
            into->anchor = i, into->anchor_end = to, into->before = before;
        before += to - i;
        i = to;
        if (i == n)
            break;
        letter *other = &into->letters[i++];
        for (int k = 1; k < other->count; k++)
            if (other->lengths[k] != other->lengths[0])
                return; /* what stands behind it has no fixed place */
        before += other->lengths[0];
    }
}

/* From Python: 0, u32 length, bytes; or 1, u32 letters, and of each its spellings: how many, then length and bytes. */
int needle_read(needle *into, const uint8_t **from, const uint8_t *end) {
    const uint8_t *at = *from;
    uint32_t count;
    memset(into, 0, sizeof *into);
    if (end - at < 5)
        return -1;
    into->folded = *at++;
    memcpy(&count, at, 4);
    at += 4;
    if (!count || count > 1 << 16)
        return -1;
    into->bytes = malloc(count + PAD);
    if (!into->bytes)
        return -1;
    if (!into->folded) {
        if ((size_t)(end - at) < count)
            return -1;
        memcpy(into->bytes, at, count);
        into->length = count;
        *from = at + count;
    } else {
        into->letter_count = count;
        into->letters = calloc(count, sizeof *into->letters);
        if (!into->letters || read_letters(into, &at, end))
            return -1;
        for (uint32_t i = 0; i < count; i++)
            into->bytes[i] = lower[into->letters[i].bytes[0][0]];
        choose_bytes(into);
        into->length = into->anchor_end - into->anchor;
        memmove(into->bytes, into->bytes + into->anchor, into->length);
        *from = at;
    }
    if (into->length)
        choose_rare(into);
    return 0;
}

void needle_free(needle *one) {
    free(one->bytes);
    free(one->letters);
    one->bytes = NULL, one->letters = NULL;
}

/* The two signs beyond ASCII that are another case of an ASCII letter: long s (U+017F) and kelvin (U+212A). */
int has_odd_letters(const uint8_t *text, size_t length) {
    static uint8_t long_s[] = {0xC5, 0xBF}, kelvin[] = {0xE2, 0x84, 0xAA};
    needle s = {.bytes = long_s, .length = 2, .rare = {0, 1}}, k = {.bytes = kelvin, .length = 3, .rare = {1, 2}};
    return find_simple(&s, text, text + length) || find_simple(&k, text, text + length);
}
