/* The stored form of an index of contents: segments, each written once, of at most MAX_DOCS documents.
 *
 * A document is a text, or a part of a long one, cut where a line ends. Of each segment there is, for every key that
 * occurs, the list of the documents that have it. A key is three classes of bytes that follow each other, case folded,
 * and two bits about the one behind them; or, for letters beyond ASCII, a number made of two or three of them. Nothing is
 * searched for in a segment to find a key's list: a key is its place.
 *
 * File: header; doc[docs]; u64 top[GROUPS / 64], which of the groups of 64 keys have any list; u32 before[GROUPS / 64], how
 * many such groups stand before; group[groups]; u16 sizes[lists]; the lists. Each part begins at a multiple of eight.
 * A list: the number of documents in one byte below 128, else in two, then their numbers by binary interpolation; or a
 * zero and one bit for each document, where one in five has the key.
 */
#ifndef CMDR_SEGMENTS_H
#define CMDR_SEGMENTS_H

#include "contents.h"

enum {
    SEGMENT_VERSION = 1,
    NEXT_BITS = 2,
    KEYS = 1 << (18 + NEXT_BITS),
    GROUPS = KEYS / 64,
    MAX_DOCS = 1 << 14,
    DOC_WORDS = MAX_DOCS / 64,
    LINE_END = 63,      /* the class that no key has: its keys are those of letters beyond ASCII */
    WIDE_KEYS = 1 << 15,
};
#define SEGMENT_MAGIC 0x53544E43u /* "CNTS" */

enum { DOC_NOT_UTF8 = 1, DOC_ODD_LETTERS = 2, DOC_WIDE = 4, DOC_RACY = 8 };

typedef struct {
    uint32_t magic, version, docs, groups, lists, reserved;
    uint64_t payload, text_bytes;
} segment_header; /* 40 bytes */

typedef struct {
    uint64_t stamp;         /* of the file as it was read */
    uint32_t id;            /* of the file in the index of names */
    uint32_t start, length; /* of the part in the text */
    uint32_t lines;         /* before it */
    uint32_t flags, reserved;
} doc;

typedef struct {
    uint64_t mask; /* which of the 64 keys have a list */
    uint32_t payload, first; /* where the first list is, and its number */
} group;

uint32_t key_of(uint32_t four);
uint32_t wide_key(const uint8_t *text, size_t length, size_t at, size_t *next);
const uint8_t *byte_classes(void);
uint64_t checksum(const void *data, size_t size, uint64_t before);
uint64_t file_stamp(int64_t changed_ns, uint64_t size, uint64_t inode);

#endif
