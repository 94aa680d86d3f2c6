/* JSON documents (RFC 8259) from files nobody has vouched for. */
#ifndef MOCK_JSON_H
#define MOCK_JSON_H

#include "base.h"

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_type type;
    double number;
    char *string;        /* UTF-8, up to the first NUL */
    char *key;           /* in an object */
    struct json *first;  /* of an array or object */
    struct json *next;
};

/* NULL: `why` says what is wrong at which byte. A byte order mark in front is passed over. */
struct json *json_parse(const uint8_t *data, size_t size, struct text *why);
void json_free(struct json *value);

/* The member of that name (the last one, where there are several), or NULL. */
const struct json *json_member(const struct json *object, const char *key);
/* The member's string, or NULL when there is none or it is something else. */
const char *json_member_string(const struct json *object, const char *key);
/* How deep objects and arrays are nested: 0 for a plain value. */
size_t json_depth(const struct json *value);

#endif
