/* state: five small tables, and one transaction a run.
 *
 * SQLite's exclusive locking mode keeps the file locked between the commit that
 * notes a run's beginning and the transaction that holds the run's work. A
 * place is stored as folder and name, since the names of many have the folder
 * in common.
 */
#include "extract/state.h"

#include <errno.h>
#include <sqlite3.h>

enum {
    APPLICATION = 0x424C5253, /* `BLRS` at byte 68 of the file */
    VERSION = 1,              /* of the tables */
};

static const char tables[] =
    /* what the rows depend on */
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    /* the last run, and where its rows went */
    "CREATE TABLE run (id INTEGER PRIMARY KEY, ended INTEGER NOT NULL,"
    " device INTEGER NOT NULL, inode INTEGER NOT NULL, length INTEGER NOT NULL);"
    "INSERT INTO run VALUES (0, 1, 0, 0, 0);"
    "CREATE TABLE folder (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);"
    /* run: the one that read it last; position: NULL, or up to where it was read;
     * tail: what was written of its last message */
    "CREATE TABLE place (folder INTEGER NOT NULL, name TEXT NOT NULL, run INTEGER NOT NULL,"
    " position TEXT, tail BLOB, PRIMARY KEY (folder, name)) WITHOUT ROWID;"
    "CREATE TABLE log (id INTEGER PRIMARY KEY, entry BLOB NOT NULL);";

enum query {
    QUERY_FOLDER,
    QUERY_ADD_FOLDER,
    QUERY_PLACE,
    QUERY_TAKE,
    QUERY_PUT_POSITION,
    QUERY_TAIL,
    QUERY_PUT_TAIL,
    QUERY_LOG,
    QUERY_REPLAY,
    QUERY_COUNT,
};

static const char *const queries[] = {
    [QUERY_FOLDER] = "SELECT id FROM folder WHERE path = ?1",
    [QUERY_ADD_FOLDER] = "INSERT INTO folder (path) VALUES (?1)",
    [QUERY_PLACE] = "SELECT run, position FROM place WHERE folder = ?1 AND name = ?2",
    [QUERY_TAKE] = ("INSERT INTO place (folder, name, run) VALUES (?1, ?2, ?3)"
                    " ON CONFLICT (folder, name) DO UPDATE SET run = ?3"),
    [QUERY_PUT_POSITION] = "UPDATE place SET position = ?3 WHERE folder = ?1 AND name = ?2",
    [QUERY_TAIL] = "SELECT tail FROM place WHERE folder = ?1 AND name = ?2",
    [QUERY_PUT_TAIL] = "UPDATE place SET tail = ?3 WHERE folder = ?1 AND name = ?2",
    [QUERY_LOG] = "INSERT INTO log (entry) VALUES (?1)",
    [QUERY_REPLAY] = "SELECT entry FROM log WHERE id <= ?1 ORDER BY id",
};

struct state {
    sqlite3 *database;
    sqlite3_stmt *statements[QUERY_COUNT]; /* prepared when they are needed */
    char *error;
    dev_t device;
    ino_t inode;
    char *journal_path;
    sqlite3_int64 run;
    bool cut_off; /* the run before did not end */
    struct state_output output;
    char *folder; /* the last one used */
    sqlite3_int64 folder_id;
    sqlite3_int64 logged; /* the last entry of earlier runs */
    bool replaying, replayed;
};

/* ---- errors ---- */

static void fail(struct state *state)
{
    if (state->error == NULL)
        state->error = g_strdup(sqlite3_errmsg(state->database));
}

void state_fail(struct state *state, const char *what)
{
    if (state->error == NULL)
        state->error = g_strdup(what);
}

const char *state_error(const struct state *state)
{
    return state->error;
}

static bool execute(struct state *state, const char *text)
{
    if (state->error == NULL && sqlite3_exec(state->database, text, NULL, NULL, NULL) != SQLITE_OK)
        fail(state);
    return state->error == NULL;
}

/* A statement to bind and step; NULL after an error. */
static sqlite3_stmt *prepare(struct state *state, enum query query)
{
    sqlite3_stmt **statement = &state->statements[query];

    if (state->error != NULL)
        return NULL;
    if (*statement == NULL && sqlite3_prepare_v3(state->database, queries[query], -1, SQLITE_PREPARE_PERSISTENT,
                                                 statement, NULL) != SQLITE_OK) {
        fail(state);
        return NULL;
    }
    return *statement;
}

/* One step; true if there is a row. */
static bool step(struct state *state, sqlite3_stmt *statement)
{
    int result = sqlite3_step(statement);

    if (result != SQLITE_ROW && result != SQLITE_DONE)
        fail(state);
    return result == SQLITE_ROW;
}

/* An integer that one row of one column gives; 0 after an error. */
static sqlite3_int64 ask(struct state *state, const char *text)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_int64 answer = 0;

    if (state->error != NULL)
        return 0;
    if (sqlite3_prepare_v2(state->database, text, -1, &statement, NULL) != SQLITE_OK)
        fail(state);
    else if (step(state, statement))
        answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

static void append_column(GString *to, sqlite3_stmt *statement, int column)
{
    const void *bytes = sqlite3_column_blob(statement, column);

    if (bytes != NULL)
        g_string_append_len(to, bytes, sqlite3_column_bytes(statement, column));
}

/* ---- settings ---- */

static char *setting_name(const char *setting)
{
    return g_strndup(setting, strcspn(setting, "="));
}

static void add_difference(GString *differences, const char *name, const char *how)
{
    g_string_append_printf(differences, "%s%s %s", differences->len > 0 ? ", " : "", name, how);
}

/* Name what is not the same in the file's settings, in their order, and in those given. */
static void compare_settings(struct state *state, const GPtrArray *settings, GString *differences)
{
    static const char text[] = "SELECT name || '=' || value FROM setting ORDER BY name";
    GHashTable *old = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(state->database, text, -1, &statement, NULL) != SQLITE_OK)
        fail(state);
    while (state->error == NULL && step(state, statement)) {
        const char *setting = (const char *)sqlite3_column_text(statement, 0);

        if (setting != NULL)
            g_hash_table_insert(old, setting_name(setting), g_strdup(setting));
    }
    for (guint i = 0; i < settings->len; i++) {
        const char *setting = g_ptr_array_index(settings, i);
        char *name = setting_name(setting);
        const char *before = g_hash_table_lookup(old, name);

        if (before == NULL)
            add_difference(differences, name, "is new");
        else if (strcmp(before, setting) != 0)
            add_difference(differences, name, "has changed");
        g_hash_table_remove(old, name);
        g_free(name);
    }
    if (statement != NULL)
        (void)sqlite3_reset(statement);
    while (state->error == NULL && step(state, statement)) {
        char *name = setting_name((const char *)sqlite3_column_text(statement, 0));

        if (g_hash_table_contains(old, name))
            add_difference(differences, name, "is gone");
        g_free(name);
    }
    sqlite3_finalize(statement);
    g_hash_table_unref(old);
}

static void write_settings(struct state *state, const GPtrArray *settings)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(state->database, "INSERT INTO setting VALUES (?1, ?2)", -1, &statement, NULL) != SQLITE_OK)
        fail(state);
    for (guint i = 0; i < settings->len && state->error == NULL; i++) {
        const char *setting = g_ptr_array_index(settings, i);
        const int length = (int)strcspn(setting, "=");

        (void)sqlite3_bind_text(statement, 1, setting, length, SQLITE_TRANSIENT);
        (void)sqlite3_bind_text(statement, 2, setting + length + 1, -1, SQLITE_TRANSIENT);
        (void)step(state, statement);
        (void)sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
}

/* ---- opening ---- */

/* What a result of SQLite says of the file, in words that need no SQLite. */
static enum state_status judge(int result, const char *message, GString *why)
{
    switch (result & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        g_string_append(why, "another run uses it; nothing was read");
        return STATE_REFUSED;
    case SQLITE_NOTADB:
        g_string_append(why, "it is no state of benchlore");
        return STATE_REFUSED;
    case SQLITE_CORRUPT:
        g_string_append(why, "it is damaged; take a copy of it from before, or remove it and all rows that were "
                             "written with it, to begin anew");
        return STATE_REFUSED;
    default:
        g_string_append(why, message);
        return STATE_FAILED;
    }
}

/* Damage is to be found before anything is read or written. */
static bool is_whole(struct state *state)
{
    sqlite3_stmt *statement = NULL;
    bool whole = false;

    if (sqlite3_prepare_v2(state->database, "PRAGMA quick_check(1)", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        const char *word = (const char *)sqlite3_column_text(statement, 0);

        whole = word != NULL && strcmp(word, "ok") == 0;
    }
    sqlite3_finalize(statement);
    return whole;
}

/* The file is locked and can be read: look whether it is one for us. */
static enum state_status examine(struct state *state, const GPtrArray *settings, GString *why)
{
    sqlite3_int64 version = ask(state, "PRAGMA user_version");
    bool ours = ask(state, "PRAGMA application_id") == APPLICATION;
    GString *differences;

    if (state->error == NULL && !ours && ask(state, "SELECT count(*) FROM sqlite_master") == 0) {
        char *text = g_strdup_printf("PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION, VERSION);

        execute(state, tables);
        write_settings(state, settings);
        execute(state, text);
        g_free(text);
    } else if (state->error == NULL && !ours) {
        return judge(SQLITE_NOTADB, NULL, why);
    } else if (state->error == NULL && version > VERSION) {
        g_string_append(why, "a newer version of benchlore made it");
        return STATE_REFUSED;
    } else if (state->error == NULL && !is_whole(state)) {
        return judge(SQLITE_CORRUPT, NULL, why);
    }
    if (state->error != NULL)
        return judge(sqlite3_errcode(state->database), state->error, why);

    differences = g_string_new(NULL);
    compare_settings(state, settings, differences);
    if (differences->len > 0)
        g_string_append_printf(why,
                               "the rows written with it are not those that this run would find: %s. "
                               "For rows that fit together remove it, and all rows that were written with it, "
                               "and read everything anew; or name another file",
                               differences->str);
    bool same = differences->len == 0;
    g_string_free(differences, TRUE);
    return same ? STATE_GOOD : STATE_REFUSED;
}

static void read_last_run(struct state *state)
{
    state->run = ask(state, "SELECT id FROM run") + 1;
    state->cut_off = ask(state, "SELECT ended FROM run") == 0;
    state->output = (struct state_output){
        (uint64_t)ask(state, "SELECT device FROM run"),
        (uint64_t)ask(state, "SELECT inode FROM run"),
        (uint64_t)ask(state, "SELECT length FROM run"),
    };
    state->logged = ask(state, "SELECT ifnull(max(id), 0) FROM log");
}

static void note_inode(struct state *state, const char *path)
{
    struct stat status;

    if (stat(path, &status) == 0) {
        state->device = status.st_dev;
        state->inode = status.st_ino;
    }
    state->journal_path = g_strdup_printf("%s-journal", path);
}

struct state *state_open(const char *path, const GPtrArray *settings, GString *why, enum state_status *status)
{
    /* a page cache of 2 MiB, also for what a run puts in: the rest goes to the file */
    static const char begin[] = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE;"
                                "PRAGMA synchronous = FULL; PRAGMA cache_size = -2000; BEGIN EXCLUSIVE";
    struct state *state = g_new0(struct state, 1);
    /* `:memory:` is a name like others here */
    char *name = g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(".", path, NULL);
    int result =
        sqlite3_open_v2(name, &state->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);

    g_free(name);
    if (state->database == NULL)
        g_error("state: out of memory");
    if (result == SQLITE_OK && sqlite3_db_readonly(state->database, "main") == 1) {
        g_string_append(why, "it cannot be written");
        *status = STATE_FAILED;
    } else if (result != SQLITE_OK || !execute(state, begin)) {
        *status = judge(sqlite3_errcode(state->database), sqlite3_errmsg(state->database), why);
    } else {
        *status = examine(state, settings, why);
    }
    if (*status == STATE_GOOD) {
        read_last_run(state);
        note_inode(state, path);
        if (state->error == NULL)
            return state;
        *status = judge(sqlite3_errcode(state->database), state->error, why);
    }
    state_free(state);
    return NULL;
}

void state_free(struct state *state)
{
    if (state == NULL)
        return;
    for (int i = 0; i < QUERY_COUNT; i++)
        sqlite3_finalize(state->statements[i]);
    (void)sqlite3_close(state->database);
    g_free(state->error);
    g_free(state->folder);
    g_free(state->journal_path);
    g_free(state);
}

bool state_owns(const struct state *state, const struct stat *file)
{
    struct stat journal;

    if (file->st_dev != state->device)
        return false;
    return file->st_ino == state->inode || (stat(state->journal_path, &journal) == 0 && journal.st_ino == file->st_ino);
}

/* ---- runs ---- */

bool state_was_cut_off(const struct state *state, struct state_output *output)
{
    if (state->cut_off)
        *output = state->output;
    return state->cut_off;
}

void state_begin(struct state *state, const struct state_output *output)
{
    char *text =
        g_strdup_printf("UPDATE run SET id = %" G_GINT64_FORMAT ", ended = 0, device = %" G_GINT64_FORMAT
                        ", inode = %" G_GINT64_FORMAT ", length = %" G_GINT64_FORMAT "; COMMIT; BEGIN",
                        (gint64)state->run, (gint64)output->device, (gint64)output->inode, (gint64)output->length);

    execute(state, text);
    g_free(text);
}

bool state_commit(struct state *state)
{
    return execute(state, "UPDATE run SET ended = 1; COMMIT");
}

/* ---- places ---- */

/* The id of a folder; -1 where it has none and none is made. */
static sqlite3_int64 find_folder(struct state *state, const char *path, size_t length, bool make)
{
    sqlite3_stmt *statement;
    sqlite3_int64 id = -1;

    if (state->folder != NULL && strlen(state->folder) == length && memcmp(state->folder, path, length) == 0)
        return state->folder_id;
    statement = prepare(state, QUERY_FOLDER);
    if (statement == NULL)
        return -1;
    (void)sqlite3_bind_text(statement, 1, path, (int)length, SQLITE_TRANSIENT);
    if (step(state, statement))
        id = sqlite3_column_int64(statement, 0);
    (void)sqlite3_reset(statement);
    if (id < 0 && make && (statement = prepare(state, QUERY_ADD_FOLDER)) != NULL) {
        (void)sqlite3_bind_text(statement, 1, path, (int)length, SQLITE_TRANSIENT);
        (void)step(state, statement);
        (void)sqlite3_reset(statement);
        id = sqlite3_last_insert_rowid(state->database);
    }
    if (id >= 0 && state->error == NULL) {
        g_free(state->folder);
        state->folder = g_strndup(path, length);
        state->folder_id = id;
    }
    return id;
}

/* A statement with the place bound; NULL after an error, or where the place is
 * not there and is not to be made. */
static sqlite3_stmt *prepare_place(struct state *state, enum query query, const char *key)
{
    const char *slash = strrchr(key, '/');
    const char *name = slash != NULL ? slash + 1 : key;
    sqlite3_int64 folder = find_folder(state, key, (size_t)(name - key), query == QUERY_TAKE);
    sqlite3_stmt *statement = folder >= 0 ? prepare(state, query) : NULL;

    if (statement != NULL) {
        (void)sqlite3_bind_int64(statement, 1, folder);
        (void)sqlite3_bind_text(statement, 2, name, -1, SQLITE_TRANSIENT);
    }
    return statement;
}

enum state_place state_find(struct state *state, const char *key, GString *position)
{
    sqlite3_stmt *statement = prepare_place(state, QUERY_PLACE, key);
    enum state_place place = STATE_PLACE_NEW;

    if (statement == NULL)
        return place;
    if (step(state, statement)) {
        if (sqlite3_column_int64(statement, 0) == state->run) {
            place = STATE_PLACE_TAKEN;
        } else if (sqlite3_column_type(statement, 1) != SQLITE_NULL) {
            place = STATE_PLACE_KNOWN;
            g_string_truncate(position, 0);
            append_column(position, statement, 1);
        }
    }
    (void)sqlite3_reset(statement);
    return place;
}

void state_take(struct state *state, const char *key)
{
    sqlite3_stmt *statement = prepare_place(state, QUERY_TAKE, key);

    if (statement == NULL)
        return;
    (void)sqlite3_bind_int64(statement, 3, state->run);
    (void)step(state, statement);
    (void)sqlite3_reset(statement);
}

void state_put_position(struct state *state, const char *key, const char *position)
{
    sqlite3_stmt *statement = prepare_place(state, QUERY_PUT_POSITION, key);

    if (statement == NULL)
        return;
    (void)sqlite3_bind_text(statement, 3, position, -1, SQLITE_TRANSIENT);
    (void)step(state, statement);
    (void)sqlite3_reset(statement);
}

bool state_find_tail(struct state *state, const char *key, GString *tail)
{
    sqlite3_stmt *statement = prepare_place(state, QUERY_TAIL, key);
    bool found = false;

    if (statement == NULL)
        return false;
    if (step(state, statement) && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        g_string_truncate(tail, 0);
        append_column(tail, statement, 0);
        found = true;
    }
    (void)sqlite3_reset(statement);
    return found;
}

void state_put_tail(struct state *state, const char *key, struct view tail)
{
    sqlite3_stmt *statement = prepare_place(state, QUERY_PUT_TAIL, key);

    if (statement == NULL)
        return;
    if (tail.length > 0)
        (void)sqlite3_bind_blob64(statement, 3, tail.bytes, tail.length, SQLITE_TRANSIENT);
    else
        (void)sqlite3_bind_null(statement, 3);
    (void)step(state, statement);
    (void)sqlite3_reset(statement);
}

/* ---- the log ---- */

void state_log(struct state *state, struct view entry)
{
    sqlite3_stmt *statement = prepare(state, QUERY_LOG);

    if (statement == NULL)
        return;
    (void)sqlite3_bind_blob64(statement, 1, entry.bytes, entry.length, SQLITE_TRANSIENT);
    (void)step(state, statement);
    (void)sqlite3_reset(statement);
}

bool state_replay(struct state *state, struct view *entry)
{
    sqlite3_stmt *statement = state->replayed ? NULL : prepare(state, QUERY_REPLAY);

    if (statement == NULL)
        return false;
    if (!state->replaying) {
        (void)sqlite3_bind_int64(statement, 1, state->logged);
        state->replaying = true;
    }
    if (step(state, statement)) {
        const void *bytes = sqlite3_column_blob(statement, 0);

        *entry = (struct view){bytes != NULL ? bytes : "", (size_t)sqlite3_column_bytes(statement, 0)};
        return true;
    }
    (void)sqlite3_reset(statement);
    state->replayed = true;
    return false;
}
