#include "json.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_AT_MOST 512

struct reader {
    const uint8_t *data;
    size_t size;
    size_t at;
    size_t depth;
    const char *wrong; /* the first thing found wrong */
};

static struct json *read_value(struct reader *reader);

static void *wrong(struct reader *reader, const char *what)
{
    if (reader->wrong == NULL) {
        reader->wrong = what;
    }
    return NULL;
}

static int peek(const struct reader *reader)
{
    return reader->at < reader->size ? reader->data[reader->at] : -1;
}

static void skip_space(struct reader *reader)
{
    int c = peek(reader);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++reader->at;
        c = peek(reader);
    }
}

static bool take(struct reader *reader, char wanted)
{
    skip_space(reader);
    bool there = peek(reader) == wanted;
    reader->at += there;
    return there;
}

static struct json *make(struct reader *reader, enum json_type type)
{
    struct json *value = host_alloc(sizeof(*value));
    if (value == NULL) {
        return wrong(reader, "no memory left");
    }
    value->type = type;
    return value;
}

/* ---- strings ------------------------------------------------------------------------------------------ */

static bool read_hex(struct reader *reader, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; ++i) {
        int c = peek(reader);
        int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
        if (digit < 0) {
            return false;
        }
        *code = *code << 4 | (uint32_t)digit;
        ++reader->at;
    }
    return true;
}

static void add_utf8(struct text *text, uint32_t code)
{
    if (code < 0x80) {
        text_add(text, "%c", (char)code);
    } else if (code < 0x800) {
        text_add(text, "%c%c", (char)(0xc0 | code >> 6), (char)(0x80 | (code & 0x3f)));
    } else if (code < 0x10000) {
        text_add(text, "%c%c%c", (char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)),
                 (char)(0x80 | (code & 0x3f)));
    } else {
        text_add(text, "%c%c%c%c", (char)(0xf0 | code >> 18), (char)(0x80 | (code >> 12 & 0x3f)),
                 (char)(0x80 | (code >> 6 & 0x3f)), (char)(0x80 | (code & 0x3f)));
    }
}

static bool read_unicode(struct reader *reader, struct text *text)
{
    uint32_t code;
    uint32_t low;
    if (!read_hex(reader, &code)) {
        return false;
    }
    if (code >= 0xd800 && code < 0xdc00) {
        bool pair = peek(reader) == '\\' && ++reader->at < reader->size && peek(reader) == 'u';
        reader->at += pair;
        if (!pair || !read_hex(reader, &low) || low < 0xdc00 || low > 0xdfff) {
            return false;
        }
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        return false;
    }
    add_utf8(text, code);
    return true;
}

static bool read_escape(struct reader *reader, struct text *text)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    int c = peek(reader);
    ++reader->at;
    if (c == 'u') {
        return read_unicode(reader, text);
    }
    const char *letter = c > 0 ? strchr(letters, c) : NULL;
    if (letter == NULL) {
        return false;
    }
    text_add(text, "%c", meanings[letter - letters]);
    return true;
}

/* Behind the opening quote. NULL: wrong, or no memory. */
static char *read_string(struct reader *reader)
{
    struct text text = {0};
    text_add(&text, "%s", "");
    for (;;) {
        size_t start = reader->at;
        while (peek(reader) >= ' ' && peek(reader) != '"' && peek(reader) != '\\') {
            ++reader->at;
        }
        text_add(&text, "%.*s", (int)(reader->at - start), (const char *)reader->data + start);
        int c = peek(reader);
        ++reader->at;
        if (c == '"') {
            return text.failed ? wrong(reader, "no memory left") : text.data;
        }
        if (c != '\\' || !read_escape(reader, &text)) {
            --reader->at;
            text_free(&text);
            return wrong(reader, c < 0 ? "a string does not end" : "a character that a string cannot have");
        }
    }
}

/* ---- values ------------------------------------------------------------------------------------------- */

static size_t skip_digits(struct reader *reader)
{
    size_t start = reader->at;
    while (peek(reader) >= '0' && peek(reader) <= '9') {
        ++reader->at;
    }
    return reader->at - start;
}

static struct json *read_number(struct reader *reader)
{
    char digits[64];
    size_t start = reader->at;
    reader->at += peek(reader) == '-';
    bool leading_zero = peek(reader) == '0';
    size_t whole = skip_digits(reader);
    bool right = whole == 1 || (whole > 1 && !leading_zero);
    if (right && peek(reader) == '.') {
        ++reader->at;
        right = skip_digits(reader) > 0;
    }
    if (right && (peek(reader) | 32) == 'e') {
        ++reader->at;
        reader->at += peek(reader) == '+' || peek(reader) == '-';
        right = skip_digits(reader) > 0;
    }
    if (!right) {
        return wrong(reader, "not a value");
    }
    struct json *value = make(reader, JSON_NUMBER);
    size_t length = size_min(reader->at - start, sizeof(digits) - 1);
    memcpy(digits, reader->data + start, length);
    digits[length] = '\0';
    if (value != NULL) {
        static _Atomic(locale_t) plain; /* a decimal point is a point here, whatever the program's locale */
        locale_t locale = atomic_load(&plain);
        if (locale == (locale_t)0) {
            locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
            atomic_store(&plain, locale);
        }
        value->number = strtod_l(digits, NULL, locale);
    }
    return value;
}

static struct json *read_word(struct reader *reader, const char *word, enum json_type type)
{
    size_t length = strlen(word);
    if (length > reader->size - reader->at || memcmp(reader->data + reader->at, word, length) != 0) {
        return wrong(reader, "not a value");
    }
    reader->at += length;
    return make(reader, type);
}

static char *read_key(struct reader *reader)
{
    if (!take(reader, '"')) {
        return wrong(reader, "expected a name in quotes");
    }
    char *key = read_string(reader);
    if (key != NULL && !take(reader, ':')) {
        host_free(key);
        return wrong(reader, "expected a colon");
    }
    return key;
}

/* Behind the opening bracket. */
static struct json *read_list(struct reader *reader, enum json_type type, char end)
{
    struct json *list = make(reader, type);
    struct json **last = list != NULL ? &list->first : NULL;
    bool done = list == NULL || take(reader, end);
    while (!done) {
        char *key = type == JSON_OBJECT ? read_key(reader) : NULL;
        struct json *value = type == JSON_OBJECT && key == NULL ? NULL : read_value(reader);
        if (value == NULL) {
            host_free(key);
            break;
        }
        value->key = key;
        *last = value;
        last = &value->next;
        done = take(reader, end);
        if (!done && !take(reader, ',')) {
            wrong(reader, "expected a comma or the end of the list");
            break;
        }
    }
    if (!done) {
        json_free(list);
        return NULL;
    }
    return list;
}

static struct json *read_nested(struct reader *reader, enum json_type type, char end)
{
    ++reader->at;
    if (++reader->depth > DEPTH_AT_MOST) {
        return wrong(reader, "nested too deep");
    }
    struct json *list = read_list(reader, type, end);
    --reader->depth;
    return list;
}

static struct json *read_value(struct reader *reader)
{
    skip_space(reader);
    switch (peek(reader)) {
    case '{': return read_nested(reader, JSON_OBJECT, '}');
    case '[': return read_nested(reader, JSON_ARRAY, ']');
    case 't': return read_word(reader, "true", JSON_TRUE);
    case 'f': return read_word(reader, "false", JSON_FALSE);
    case 'n': return read_word(reader, "null", JSON_NULL);
    case '"': {
        ++reader->at;
        char *string = read_string(reader);
        struct json *value = string != NULL ? make(reader, JSON_STRING) : NULL;
        if (value == NULL) {
            host_free(string);
            return NULL;
        }
        value->string = string;
        return value;
    }
    default: return read_number(reader);
    }
}

struct json *json_parse(const uint8_t *data, size_t size, struct text *why)
{
    struct reader reader = {.data = data, .size = size};
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        reader.at = 3;
    }
    struct json *value = read_value(&reader);
    skip_space(&reader);
    if (value != NULL && reader.at == size) {
        return value;
    }
    wrong(&reader, "something follows the document");
    text_add(why, "not JSON: %s, at byte %zu", reader.wrong, reader.at);
    json_free(value);
    return NULL;
}

/* ---- using -------------------------------------------------------------------------------------------- */

void json_free(struct json *value)
{
    while (value != NULL) { /* recursion goes as deep as the document, which read_nested limits */
        struct json *next = value->next;
        json_free(value->first);
        host_free(value->string);
        host_free(value->key);
        host_free(value);
        value = next;
    }
}

const struct json *json_member(const struct json *object, const char *key)
{
    const struct json *found = NULL;
    if (object == NULL || object->type != JSON_OBJECT) {
        return NULL;
    }
    for (const struct json *member = object->first; member != NULL; member = member->next) {
        found = strcmp(member->key, key) == 0 ? member : found;
    }
    return found;
}

const char *json_member_string(const struct json *object, const char *key)
{
    const struct json *member = json_member(object, key);
    return member != NULL && member->type == JSON_STRING ? member->string : NULL;
}

size_t json_depth(const struct json *value)
{
    size_t deepest = 0;
    for (const struct json *child = value->first; child != NULL; child = child->next) {
        size_t depth = json_depth(child);
        deepest = depth > deepest ? depth : deepest;
    }
    return value->type >= JSON_ARRAY ? deepest + 1 : 0;
}
