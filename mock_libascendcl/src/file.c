#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *file_real_path(const char *path, struct text *why)
{
    char resolved[PATH_MAX];
    if (path[0] == '\0') {
        text_add(why, "the path is empty");
        return NULL;
    }
    if (realpath(path, resolved) == NULL) {
        text_add(why, "%s: %s", path, strerror(errno));
        return NULL;
    }
    char *copy = text_copy(resolved);
    if (copy == NULL) {
        text_add(why, "no memory left");
    }
    return copy;
}

bool file_is_directory(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

char *file_replace_extension(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    struct text text = {0};
    text_add(&text, "%.*s%s", dot != NULL ? (int)(dot - path) : 0, path, extension);
    return text.data;
}

static bool check_file(int file, const char *path, size_t *size, struct text *why)
{
    struct stat facts;
    if (fstat(file, &facts) != 0) {
        text_add(why, "%s: %s", path, strerror(errno));
    } else if (S_ISDIR(facts.st_mode)) {
        text_add(why, "%s is a directory", path);
    } else if (!S_ISREG(facts.st_mode)) {
        text_add(why, "%s is no regular file", path);
    } else if (facts.st_size == 0) {
        text_add(why, "%s is empty", path);
    } else if ((uint64_t)facts.st_size > FILE_AT_MOST) {
        text_add(why, "%s has %lld bytes, more than a binary can have", path, (long long)facts.st_size);
    } else {
        *size = (size_t)facts.st_size;
        return true;
    }
    return false;
}

static uint8_t *read_bytes(int file, const char *path, size_t *size, struct text *why)
{
    uint8_t *data = host_alloc(*size + 1);
    size_t have = 0;
    while (data != NULL && have < *size) {
        ssize_t got = read(file, data + have, *size - have);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break; /* it became shorter meanwhile, or cannot be read */
        }
        have += (size_t)got;
    }
    if (data != NULL && have == *size) {
        return data;
    }
    text_add(why, "%s: %s", path, data == NULL ? "no memory left for its bytes" : "it could not be read to its end");
    host_free(data);
    return NULL;
}

uint8_t *file_read(const char *path, size_t *size, struct text *why)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not hang us */
    if (file < 0) {
        text_add(why, "%s: %s", path, strerror(errno));
        return NULL;
    }
    uint8_t *data = check_file(file, path, size, why) ? read_bytes(file, path, size, why) : NULL;
    close(file);
    return data;
}
