/* Eight bytes at once go into both lanes, each time by a step that can be
 * undone for any given word, so that texts of the same length that differ in
 * one word never come out alike. The lanes use the word in different ways. */
#include "extract/fingerprint.h"

static const uint64_t first_factor = 0x9E3779B97F4A7C15U;
static const uint64_t second_factor = 0xD6E8FEB86659FD93U;

struct fingerprint fingerprint_begin(void)
{
    return (struct fingerprint){{first_factor, second_factor}};
}

static void add_word(struct fingerprint *fingerprint, uint64_t word)
{
    uint64_t first = (fingerprint->lane[0] ^ word) * first_factor;
    uint64_t second = (fingerprint->lane[1] + word) * second_factor;

    fingerprint->lane[0] = first ^ (first >> 32);
    fingerprint->lane[1] = second ^ (second >> 29);
}

void fingerprint_add(struct fingerprint *fingerprint, struct view text)
{
    uint64_t word;
    size_t at = 0;

    for (; text.length - at >= sizeof word; at += sizeof word) {
        memcpy(&word, text.bytes + at, sizeof word);
        add_word(fingerprint, word);
    }
    if (at < text.length) {
        word = 0;
        memcpy(&word, text.bytes + at, text.length - at);
        add_word(fingerprint, word);
    }
    add_word(fingerprint, text.length);
}

static uint64_t mix(uint64_t lane)
{
    lane = (lane ^ (lane >> 31)) * first_factor;
    lane = (lane ^ (lane >> 29)) * second_factor;
    return lane ^ (lane >> 32);
}

void fingerprint_end(const struct fingerprint *fingerprint, unsigned char bytes[FINGERPRINT_SIZE])
{
    const uint64_t lanes[2] = {mix(fingerprint->lane[0]), mix(fingerprint->lane[1])};

    memcpy(bytes, lanes, FINGERPRINT_SIZE);
}
