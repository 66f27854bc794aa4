/* writer_class: what an output format fills in; for output/ alone.
 *
 * A format is one file: it defines a struct that begins with struct writer
 * and one constant writer_class, which writer.c lists. writer.c keeps the
 * errors sticky, so the functions here are never called after a failure
 * (destroy aside). They return 0 or an errno value.
 */
#ifndef BENCHLORE_WRITER_CLASS_H
#define BENCHLORE_WRITER_CLASS_H

#include "output/writer.h"

struct writer_class {
    const char *format;
    bool continues;                 /* begin can be left out */
    struct writer *(*create)(void); /* the base is filled in by writer_new */
    int (*begin)(struct writer *writer);
    int (*observation)(struct writer *writer, const struct observation *observation);
    int (*end)(struct writer *writer); /* writer_end flushes the stream afterwards */
    void (*destroy)(struct writer *writer);
};

struct writer {
    const struct writer_class *class;
    FILE *stream;
    int error; /* the first failure, as an errno value; 0 while there is none */
};

extern const struct writer_class csv_class;
extern const struct writer_class xml_class;

/* fwrite of all bytes: 0 or an errno value, never 0 for a short write. */
int writer_put(struct writer *writer, const char *bytes, size_t length) __attribute__((warn_unused_result));

#endif
