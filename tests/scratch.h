/* scratch: folders for tests that need files. */
#ifndef BENCHLORE_TESTS_SCRATCH_H
#define BENCHLORE_TESTS_SCRATCH_H

/* Make a new, empty folder among the system's temporary ones. The test fails if
 * that can't be done. The path is the caller's, for scratch_remove. */
char *scratch_new(void);

/* Remove the folder with all that is in it, and free the path. */
void scratch_remove(char *path);

#endif
