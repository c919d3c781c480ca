/* Keys of texts, stamps of files and checksums: what writing and reading segments share. */
#include "segments.h"

#include <string.h>

static uint8_t class_of[256];

/* 63 classes: letters folded, digits, blanks, punctuation (what is rare shares one), and three for all beyond ASCII. */
static void __attribute__((constructor)) make_classes(void) {
    static const char *shared[] = {"_", ".", ",", ";", ":", "(", ")", "{[", "}]", "<", ">", "=", "+*", "-", "/", "\\",
                                   "\"", "'", "#", "|&", "!?", "$@%", "^~`"};
    for (int c = 0; c < 256; c++)
        class_of[c] = (uint8_t)(c >= 0xC0 ? 62 : 60 + (c & 1));
    for (int c = 'a'; c <= 'z'; c++)
        class_of[c] = class_of[c - 32] = (uint8_t)(c - 'a');
    for (int c = '0'; c <= '9'; c++)
        class_of[c] = (uint8_t)(26 + c - '0');
    class_of[' '] = class_of['\t'] = class_of['\r'] = 36;
    for (int i = 0; i < 23; i++)
        for (const char *c = shared[i]; *c; c++)
            class_of[(uint8_t)*c] = (uint8_t)(37 + i);
    class_of['\n'] = LINE_END;
}

const uint8_t *byte_classes(void) { return class_of; }

/* Of four classes in a row, the last in the lowest six bits. */
uint32_t key_of(uint32_t four) { return (four >> 6 << NEXT_BITS) | ((four & 63) * 37 >> 3 & ((1 << NEXT_BITS) - 1)); }

static size_t width(const uint8_t *text, size_t left) {
    size_t bytes = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : text[0] >= 0xC2 ? 2 : 0;
    if (!bytes || bytes > left)
        return 0;
    for (size_t k = 1; k < bytes; k++)
        if ((text[k] & 0xC0) != 0x80)
            return 0;
    return bytes;
}

/* The key of the letters beyond ASCII at a place: three of two bytes, or two longer ones; KEYS when there is none.
 * `next` is where the next may begin. Classes would tell little of them: all bytes beyond ASCII share three. */
uint32_t wide_key(const uint8_t *text, size_t length, size_t at, size_t *next) {
    size_t first = text[at] < 0x80 ? 0 : width(text + at, length - at);
    *next = at + (first ? first : 1);
    if (!first)
        return KEYS;
    size_t second = *next < length ? width(text + *next, length - *next) : 0, end = *next + second;
    if (!second || (first == 2) != (second == 2))
        return KEYS;
    if (first == 2) {
        size_t third = end < length ? width(text + end, length - end) : 0;
        if (third != 2)
            return KEYS;
        end += third;
    }
    uint32_t hash = 2166136261u;
    for (size_t i = at; i < end; i++)
        hash = (hash ^ text[i]) * 16777619u;
    hash ^= hash >> 15;
    hash &= WIDE_KEYS - 1;
    if (hash < WIDE_KEYS / 2)
        return (uint32_t)LINE_END << (12 + NEXT_BITS) | hash;
    hash -= WIDE_KEYS / 2;
    return (hash >> 8) % 63 << (12 + NEXT_BITS) | (uint32_t)LINE_END << (6 + NEXT_BITS) | (hash & 255);
}

/* What the index of names knows of a file as well: when one of the three differs, the file is another or was changed. */
uint64_t file_stamp(int64_t changed_ns, uint64_t size, uint64_t inode) {
    return (((uint64_t)changed_ns * 0x9E3779B97F4A7C15u) ^ size) * 0xBF58476D1CE4E5B9u ^ inode;
}

static uint64_t turned(uint64_t x, int by) { return x << by | x >> (64 - by); }

/* Four sums side by side, so that it runs as quickly as memory is read. */
uint64_t checksum(const void *data, size_t size, uint64_t before) {
    const uint8_t *at = data;
    uint64_t sum[4] = {before ^ 0x9E3779B97F4A7C15u, before + 0xC2B2AE3D27D4EB4Fu, before ^ 0x165667B19E3779F9u, before};
    uint64_t left = size;
    for (; left >= 32; left -= 32, at += 32)
        for (int i = 0; i < 4; i++) {
            uint64_t word;
            memcpy(&word, at + 8 * i, 8);
            sum[i] = turned(sum[i] + word * 0xC2B2AE3D27D4EB4Fu, 31) * 0x9E3779B97F4A7C15u;
        }
    uint64_t all = turned(sum[0], 1) + turned(sum[1], 7) + turned(sum[2], 12) + turned(sum[3], 18) + size;
    for (; left; left--, at++)
        all = turned(all ^ (*at * 0x165667B19E3779F9u), 11) * 0x9E3779B97F4A7C15u;
    all = (all ^ all >> 33) * 0xC2B2AE3D27D4EB4Fu;
    all = (all ^ all >> 29) * 0x165667B19E3779F9u;
    return all ^ all >> 32;
}

uint64_t cmdr_checksum(const void *data, uint64_t size) { return checksum(data, size, 0); }

/* The keys that a text on one line must have; answers how many there are. `last` is the first of the keys of which it must
 * have one, for what follows its last three bytes is not known: KEYS when it is too short to have any. */
uint64_t cmdr_keys_of(const uint8_t *text, uint64_t length, uint32_t *keys, uint64_t room, uint32_t *last) {
    uint64_t found = 0;
    uint32_t four = 0;
    *last = KEYS;
    for (uint64_t i = 0; i < length; i++) {
        four = (four << 6 | class_of[text[i]]) & 0xFFFFFF;
        if (i >= 3 && found < room)
            keys[found++] = key_of(four);
    }
    if (length >= 3)
        *last = (four & 0x3FFFF) << NEXT_BITS;
    for (size_t at = 0, next; at < length; at = next) {
        uint32_t key = wide_key(text, length, at, &next);
        if (key < KEYS && found < room)
            keys[found++] = key;
    }
    return found;
}
