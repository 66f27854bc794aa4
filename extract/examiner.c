/* Where one message after the other holds results, the prefilter is asked only
 * about those that then turn out to hold none: a message that it would have
 * kept back is as if it had not been read. All that is to be done with a
 * message's text is done while it is at hand. */
#include "extract/examiner.h"

enum { FULL_MIN = 16 }; /* messages with results in a row, until the next is thought to hold some, too */

struct examiner {
    struct examiner_options options;
    struct prefilter_scratch *scratch;
    struct message *message; /* the one at hand */
    struct recognizer *recognizer;
    struct recognizer_counts before; /* by the recognizer, before the message at hand */
    struct recognizer_counts counts; /* of the message */
    unsigned full;                   /* messages with results in a row */
    struct diag *parsing;            /* what was reported on the message */
    struct diag *recognizing;
};

struct examiner *examiner_new(const struct examiner_options *options, const struct diag *like)
{
    struct examiner *examiner = g_new0(struct examiner, 1);

    examiner->options = *options;
    examiner->scratch = options->prefilter ? prefilter_scratch_new(options->prefilter) : NULL;
    examiner->message = message_new();
    examiner->parsing = diag_new_buffer(like);
    examiner->recognizing = diag_new_buffer(like);
    examiner->recognizer = recognizer_new(options->conditions, options->warn_unknown, examiner->recognizing);
    return examiner;
}

void examiner_free(struct examiner *examiner)
{
    if (!examiner)
        return;
    recognizer_free(examiner->recognizer);
    message_free(examiner->message);
    prefilter_scratch_free(examiner->scratch);
    diag_free(examiner->parsing);
    diag_free(examiner->recognizing);
    g_free(examiner);
}

static bool may_match(struct examiner *examiner, const struct raw_message *raw)
{
    const struct prefilter *prefilter = examiner->options.prefilter;

    return !prefilter || prefilter_may_match(prefilter, raw, examiner->scratch);
}

static void make_imprint(struct examiner *examiner, const struct message *message, struct imprint *imprint)
{
    const struct observation *observation;

    imprint_begin(imprint, message, &examiner->options.digest_kind);
    while (examiner->options.wants_blocks && (observation = recognizer_next(examiner->recognizer)))
        imprint_add(imprint, observation);
    imprint_end(imprint);
    recognizer_rewind(examiner->recognizer);
}

bool examiner_read(struct examiner *examiner, const struct raw_message *raw, struct imprint *imprint)
{
    const bool is_late = examiner->full >= FULL_MIN;
    struct message *message = examiner->message;

    examiner->counts = (struct recognizer_counts){0};
    if (!is_late && !may_match(examiner, raw)) {
        examiner->full = 0;
        return false;
    }
    message_read(message, raw, examiner->parsing);
    recognizer_read(examiner->recognizer, message, raw);
    examiner->counts = recognizer_counts_less(recognizer_counts(examiner->recognizer), &examiner->before);
    examiner->before = *recognizer_counts(examiner->recognizer);
    examiner->full++;
    if (examiner->counts.observations > 0) {
        make_imprint(examiner, message, imprint);
    } else {
        examiner->full = 0;
        if (is_late && !may_match(examiner, raw)) {
            examiner->counts = (struct recognizer_counts){0};
            diag_clear(examiner->parsing);
            diag_clear(examiner->recognizing);
        }
    }
    return examiner->counts.observations > 0;
}

const struct recognizer_counts *examiner_counts(const struct examiner *examiner)
{
    return &examiner->counts;
}

struct diag *examiner_parsing(struct examiner *examiner)
{
    return examiner->parsing;
}

struct diag *examiner_recognizing(struct examiner *examiner)
{
    return examiner->recognizing;
}

const struct observation *examiner_observation(struct examiner *examiner)
{
    return recognizer_next(examiner->recognizer);
}

void examiner_gather(struct examiner *examiner, struct findings *findings)
{
    recognizer_gather(examiner->recognizer, findings);
}

const struct found_message *examiner_found(const struct examiner *examiner)
{
    return recognizer_found(examiner->recognizer);
}
