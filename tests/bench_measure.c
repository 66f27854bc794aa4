/* bench_measure: what commands take, run in turns so that whatever else the
 * machine does falls on all of them alike.
 *
 *     bench_measure ROUNDS NAME COMMAND [NAME COMMAND]...
 *
 * Each COMMAND is run by sh, ROUNDS times, its output thrown away. For each a
 * line is printed: NAME, the median of its processor time and of its elapsed
 * time in seconds, and the most memory that it held, in bytes, in pages of its
 * own (without the page cache's, that a mapped file shows). A command may end
 * with status 1; any other failure ends all.
 */
#define _GNU_SOURCE /* wait4 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 100, LOOK_EVERY = 2 * 1000 * 1000 /* nanoseconds */ };

struct command {
    const char *name;
    const char *text;
    double processor[ROUNDS_MAX];
    double elapsed[ROUNDS_MAX];
    long memory;
};

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The pages that a running process has for itself, in bytes; 0 if it is gone. */
static long own_memory(pid_t process)
{
    char path[64], line[256];
    long kilobytes = 0;
    FILE *file;

    g_snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    file = fopen(path, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %ld kB", &kilobytes) == 1)
            break;
    fclose(file);
    return kilobytes * 1024;
}

static void run_child(const char *text)
{
    int nothing = open("/dev/null", O_RDWR);

    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    if (!getenv("BENCH_LOUD"))
        dup2(nothing, STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", text, (char *)NULL);
    _exit(127);
}

static bool run(struct command *command, unsigned round)
{
    const struct timespec pause = {0, LOOK_EVERY};
    double start = now();
    pid_t process = fork();
    struct rusage usage;
    pid_t ended;
    int status;

    if (process == 0)
        run_child(command->text);
    while ((ended = wait4(process, &status, WNOHANG, &usage)) == 0) {
        command->memory = MAX(command->memory, own_memory(process));
        nanosleep(&pause, NULL);
    }
    if (ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status) > 1) {
        fprintf(stderr, "bench_measure: this failed: %s\n", command->text);
        return false;
    }
    command->elapsed[round] = now() - start;
    command->processor[round] = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    return true;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double median(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int main(int count, char **arguments)
{
    unsigned rounds = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 0;
    unsigned commands = count > 3 ? (unsigned)(count - 2) / 2 : 0;
    struct command *command = g_new0(struct command, commands + 1);
    bool good = true;

    if (commands == 0 || rounds == 0 || rounds > ROUNDS_MAX || count % 2 != 0) {
        fputs("usage: bench_measure ROUNDS NAME COMMAND [NAME COMMAND]...\n", stderr);
        return 2;
    }
    for (unsigned i = 0; i < commands; i++) {
        command[i].name = arguments[2 + 2 * i];
        command[i].text = arguments[3 + 2 * i];
    }
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < commands && good; i++)
            good = run(&command[i], round);
    for (unsigned i = 0; i < commands && good; i++)
        printf("%s\t%.4f\t%.4f\t%ld\n", command[i].name, median(command[i].processor, rounds),
               median(command[i].elapsed, rounds), command[i].memory);
    g_free(command);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
