/* date: reads a date word by word, whatever their order.
 *
 * Each word says by its form what it is: a time, a month, a zone, a number. Of
 * numbers the first that can be one is the day, the next the year. No locale,
 * no clock and no time zone of this machine have a part in it.
 */
#include "extract/date.h"

enum {
    YEAR_MIN = 1970,
    YEAR_MAX = 2100,
    ZONE_MINUTES_MAX = 15 * 60,
    VALUE_MAX = 1000, /* a longer value is no date */
};

enum { NOT_SET = -1 };

struct reading {
    int year, month, day; /* NOT_SET at first */
    int hour, minute, second;
    int zone_minutes;
    bool zone_number; /* given as a number: names behind it say the same */
    bool zone_name;
    bool afternoon, forenoon;
    bool wrong;
};

/* Cut the next word off *rest, at blanks, commas and comments, without quotes. */
static struct view take_word(struct view *rest)
{
    unsigned depth = 0;
    size_t start = 0;
    size_t end;

    for (; start < rest->length; start++) {
        char c = rest->bytes[start];

        if (depth > 0 && c == '\\')
            start++;
        else if (c == '(')
            depth++;
        else if (depth > 0)
            depth -= c == ')';
        else if (c != ',' && c != '"' && c != ';' && !g_ascii_isspace(c))
            break;
    }
    start = MIN(start, rest->length);
    for (end = start; end < rest->length && strchr(",(\"; \t\r\n", rest->bytes[end]) == NULL;)
        end++;

    struct view word = view_slice(*rest, start, end);
    *rest = view_slice(*rest, end, rest->length);
    return word;
}

/* Cut digits, at most so many, off *rest; NOT_SET where there are none. */
static int take_number(struct view *rest, size_t digits)
{
    size_t end = 0;
    int number = 0;

    while (end < rest->length && end < digits && g_ascii_isdigit(rest->bytes[end]))
        number = 10 * number + (rest->bytes[end++] - '0');
    *rest = view_slice(*rest, end, rest->length);
    return end > 0 ? number : NOT_SET;
}

static bool take_char(struct view *rest, char c)
{
    if (rest->length == 0 || rest->bytes[0] != c)
        return false;
    *rest = view_slice(*rest, 1, rest->length);
    return true;
}

static bool is_digits(struct view word)
{
    for (size_t i = 0; i < word.length; i++)
        if (!g_ascii_isdigit(word.bytes[i]))
            return false;
    return word.length > 0;
}

static bool is_letters(struct view word)
{
    for (size_t i = 0; i < word.length; i++)
        if (!g_ascii_isalpha(word.bytes[i]))
            return false;
    return word.length > 0;
}

static bool is_word(struct view word, const char *known)
{
    return word.length == strlen(known) && g_ascii_strncasecmp(word.bytes, known, word.length) == 0;
}

/* From 1, for a month's name or its first three letters and more; else 0. */
static int month_of(struct view word)
{
    static const char *const names[] = {"january", "february", "march",     "april",   "may",      "june",
                                        "july",    "august",   "september", "october", "november", "december"};

    if (word.length > 3 && word.bytes[word.length - 1] == '.')
        word.length--;
    for (int month = 0; month < 12; month++)
        if (word.length >= 3 && word.length <= strlen(names[month]) &&
            g_ascii_strncasecmp(word.bytes, names[month], word.length) == 0)
            return month + 1;
    return 0;
}

/* RFC 5322 4.3 for years of fewer than four digits. */
static int full_year(int year, size_t digits)
{
    if (digits == 2)
        return year < 50 ? year + 2000 : year + 1900;
    return digits == 3 ? year + 1900 : year;
}

static void set(struct reading *reading, int *field, int value)
{
    if (*field != NOT_SET)
        reading->wrong = true;
    *field = value;
}

static void set_number(struct reading *reading, struct view word)
{
    struct view rest = word;
    int number = take_number(&rest, 4);

    if (reading->day == NOT_SET && word.length <= 2)
        reading->day = number;
    else if (word.length >= 2 && word.length <= 4)
        set(reading, &reading->year, full_year(number, word.length));
    else
        reading->wrong = true;
}

/* `06:11:16`, `6:11`, `06:11:16.123`, or with dots. Cut off *rest. */
static bool take_time(struct reading *reading, struct view *rest)
{
    struct view time = *rest;
    int hour = take_number(&time, 2);
    char between = time.length > 0 ? time.bytes[0] : '\0';
    int minute, second = 0;

    if (hour == NOT_SET || (between != ':' && between != '.') || !take_char(&time, between))
        return false;
    if (time.length < 2 || (minute = take_number(&time, 2)) == NOT_SET)
        return false;
    if (take_char(&time, between)) {
        if ((second = take_number(&time, 2)) == NOT_SET)
            return false;
        if (take_char(&time, between == ':' ? '.' : ':'))
            (void)take_number(&time, 9); /* a fraction is cut off */
    } else if (between == '.') {
        return false; /* `30.01` may be a day */
    }
    if (time.length > 0 && (g_ascii_isdigit(time.bytes[0]) || time.bytes[0] == ':'))
        return false;
    set(reading, &reading->hour, hour);
    reading->minute = minute;
    reading->second = second;
    *rest = time;
    return true;
}

/* `+0100`, `-10:00`, `+1`. False: it is none. */
static bool read_offset(struct reading *reading, struct view word)
{
    bool east = word.length > 0 && word.bytes[0] == '+';
    int hours, minutes = 0;

    if (word.length < 2 || (!east && word.bytes[0] != '-'))
        return false;
    word = view_slice(word, 1, word.length);
    hours = take_number(&word, word.length == 3 && is_digits(word) ? 1 : 2);
    (void)take_char(&word, ':');
    if (word.length > 0)
        minutes = take_number(&word, 2);
    if (hours == NOT_SET || minutes == NOT_SET || word.length > 0)
        return false;
    minutes += 60 * hours;
    if (minutes > ZONE_MINUTES_MAX)
        reading->wrong = true;
    reading->zone_minutes = east ? minutes : -minutes;
    reading->zone_number = true;
    return true;
}

/* Names of zones that mean one thing only: those of RFC 5322, and of Europe
 * and Japan. */
static void read_zone_name(struct reading *reading, struct view word)
{
    static const struct {
        const char *name;
        int hours;
    } zones[] = {
        {"EST", -5}, {"EDT", -4}, {"CST", -6}, {"CDT", -5}, {"MST", -7}, {"MDT", -6}, {"PST", -8},
        {"PDT", -7}, {"WET", 0},  {"WEST", 1}, {"CET", 1},  {"CEST", 2}, {"MET", 1},  {"MEST", 2},
        {"MEZ", 1},  {"MESZ", 2}, {"EET", 2},  {"EEST", 3}, {"JST", 9},
    };

    if (reading->zone_number)
        return;
    if (is_word(word, "DST") && reading->zone_name) { /* `MET DST` */
        reading->zone_minutes += 60;
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(zones); i++)
        if (is_word(word, zones[i].name)) {
            reading->zone_minutes = 60 * zones[i].hours;
            reading->zone_name = true;
            return;
        }
    /* `GMT+0100` */
    if (word.length > 3 && (is_word(view_slice(word, 0, 3), "GMT") || is_word(view_slice(word, 0, 3), "UTC")))
        (void)read_offset(reading, view_slice(word, 3, word.length));
}

/* `2024-01-30`, with or without `T06:11:16Z`; `30-Jan-2024`. */
static bool read_joined_date(struct reading *reading, struct view word)
{
    struct view rest = word;
    int first = take_number(&rest, 4);
    size_t first_digits = word.length - rest.length;
    int month;

    if (first == NOT_SET || !take_char(&rest, '-'))
        return false;
    if (first_digits == 4) {
        month = take_number(&rest, 2);
        if (month == NOT_SET || !take_char(&rest, '-'))
            return false;
        set(reading, &reading->year, first);
        set(reading, &reading->month, month);
        set(reading, &reading->day, take_number(&rest, 2));
        if (!take_char(&rest, 'T') && !take_char(&rest, 't'))
            return rest.length == 0;
        if (!take_time(reading, &rest))
            return false;
        if (rest.length > 0 && !read_offset(reading, rest))
            read_zone_name(reading, rest);
        return true;
    }

    const char *end = rest.length > 0 ? memchr(rest.bytes, '-', rest.length) : NULL;
    month = end != NULL ? month_of(view_slice(rest, 0, (size_t)(end - rest.bytes))) : 0;
    if (month == 0)
        return false;
    rest = view_slice(rest, (size_t)(end + 1 - rest.bytes), rest.length);
    set(reading, &reading->day, first);
    set(reading, &reading->month, month);
    if (!is_digits(rest) || rest.length > 4)
        return false;
    set_number(reading, rest);
    return true;
}

static void read_word(struct reading *reading, struct view word)
{
    struct view rest = word;

    if (is_digits(word)) {
        set_number(reading, word);
    } else if (g_ascii_isdigit(word.bytes[0])) {
        if (read_joined_date(reading, word))
            return;
        if (!take_time(reading, &rest)) {
            /* `30th`, and other odd things: only a day may be written so */
            if (reading->day != NOT_SET || word.length != 4 || !is_letters(view_slice(word, 2, 4)))
                reading->wrong = true;
            else
                reading->day = take_number(&rest, 2);
        } else if (rest.length > 0 && !read_offset(reading, rest)) {
            read_word(reading, rest); /* `6:11pm`, `06:11:16Z` */
        }
    } else if (read_offset(reading, word)) {
        return;
    } else if (is_word(word, "AM") || is_word(word, "PM")) {
        reading->forenoon |= is_word(word, "AM");
        reading->afternoon |= is_word(word, "PM");
    } else if (reading->month == NOT_SET && month_of(word) > 0) {
        reading->month = month_of(word);
    } else {
        read_zone_name(reading, word); /* a weekday is none */
    }
}

static bool is_leap_year(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_of(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return days[month - 1] + (month == 2 && is_leap_year(year) ? 1 : 0);
}

static bool is_possible(const struct reading *reading)
{
    return !reading->wrong && reading->year >= YEAR_MIN - 1 && reading->year <= YEAR_MAX + 1 && reading->month >= 1 &&
           reading->month <= 12 && reading->day >= 1 && reading->day <= days_of(reading->year, reading->month) &&
           reading->hour >= 0 && reading->hour <= 23 && reading->minute <= 59 && reading->second <= 60;
}

/* Go from local time to UTC, by whole days where needed. */
static void subtract_zone(struct reading *reading)
{
    int minutes = 60 * reading->hour + reading->minute - reading->zone_minutes;

    if (minutes < 0) {
        minutes += 24 * 60;
        if (--reading->day == 0) {
            if (--reading->month == 0) {
                reading->month = 12;
                reading->year--;
            }
            reading->day = days_of(reading->year, reading->month);
        }
    } else if (minutes >= 24 * 60) {
        minutes -= 24 * 60;
        if (++reading->day > days_of(reading->year, reading->month)) {
            reading->day = 1;
            if (++reading->month > 12) {
                reading->month = 1;
                reading->year++;
            }
        }
    }
    reading->hour = minutes / 60;
    reading->minute = minutes % 60;
}

bool date_read(GString *out, struct view value)
{
    struct reading reading = {.year = NOT_SET, .month = NOT_SET, .day = NOT_SET, .hour = NOT_SET};

    if (value.length > VALUE_MAX || memchr(value.bytes, '\0', value.length) != NULL)
        return false;
    for (struct view word = take_word(&value); word.length > 0; word = take_word(&value))
        read_word(&reading, word);
    if (reading.afternoon && reading.hour < 12)
        reading.hour += 12;
    else if (reading.forenoon && reading.hour == 12)
        reading.hour = 0;
    if (!is_possible(&reading))
        return false;
    subtract_zone(&reading);
    if (reading.year < YEAR_MIN || reading.year > YEAR_MAX)
        return false;
    /* a leap second is one only at the end of certain days */
    g_string_append_printf(out, "%04d-%02d-%02dT%02d:%02d:%02dZ", reading.year, reading.month, reading.day,
                           reading.hour, reading.minute, MIN(reading.second, 59));
    return true;
}
