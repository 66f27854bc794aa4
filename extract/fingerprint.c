/* Words of eight bytes go into the lanes by turns, each time by a step that can be
 * undone for any given word, so that texts of the same length that differ in
 * one word never come out alike. At the end of a text each lane goes into the
 * other one. */
#include "extract/fingerprint.h"

static const uint64_t first_factor = 0x9E3779B97F4A7C15U;
static const uint64_t second_factor = 0xD6E8FEB86659FD93U;

struct fingerprint fingerprint_begin(void)
{
    return (struct fingerprint){{first_factor, second_factor}};
}

static void add_first(struct fingerprint *fingerprint, uint64_t word)
{
    uint64_t lane = (fingerprint->lane[0] ^ word) * first_factor;

    fingerprint->lane[0] = lane ^ (lane >> 32);
}

static void add_second(struct fingerprint *fingerprint, uint64_t word)
{
    uint64_t lane = (fingerprint->lane[1] + word) * second_factor;

    fingerprint->lane[1] = lane ^ (lane >> 29);
}

void fingerprint_add(struct fingerprint *fingerprint, struct view text)
{
    uint64_t words[2];
    size_t at = 0;

    for (; text.length - at >= sizeof words; at += sizeof words) {
        memcpy(words, text.bytes + at, sizeof words);
        add_first(fingerprint, words[0]);
        add_second(fingerprint, words[1]);
    }
    memset(words, 0, sizeof words);
    if (at < text.length)
        memcpy(words, text.bytes + at, text.length - at);
    add_first(fingerprint, words[0]);
    add_second(fingerprint, words[1]);
    add_first(fingerprint, fingerprint->lane[1] ^ text.length);
    add_second(fingerprint, fingerprint->lane[0]);
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
