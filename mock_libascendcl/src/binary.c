#include "binary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hostbin.h"
#include "soc.h"

/* ---- handles ------------------------------------------------------------------------------------------ */

struct function *function_missing(const void *handle, const char *argument)
{
    fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
         "%s is %p, no live function handle: its binary was unloaded, or it is a handle of another kind", argument,
         handle);
    return NULL;
}

struct binary *binary_of(const void *handle)
{
    if (LIKELY(handle_alive(HANDLE_BINARY, handle))) {
        return (struct binary *)(uintptr_t)handle;
    }
    fail(ACL_ERROR_RT_INVALID_HANDLE, "EE1017",
         "binHandle is %p, no live binary handle: it was unloaded, or it is a handle of another kind", handle);
    return NULL;
}

/* ---- functions ---------------------------------------------------------------------------------------- */

static uint32_t hash_name(const char *name)
{
    return table_hash(name, strlen(name));
}

struct function *binary_find(const struct binary *binary, const char *name)
{
    struct table_probe probe = table_probe(&binary->by_name, hash_name(name));
    for (struct table_slot *slot = table_next(&probe); slot != NULL; slot = table_next(&probe)) {
        struct function *function = binary->functions[slot->index - 1];
        if (strcmp(function->name, name) == 0) {
            return function;
        }
    }
    return NULL;
}

static bool make_room(struct binary *binary)
{
    if ((binary->count & (binary->count - 1)) != 0) { /* full at each power of two */
        return true;
    }
    size_t room = binary->count ? binary->count * 2 : 1;
    struct function **bigger = host_resize(binary->functions, room * sizeof(struct function *));
    binary->functions = bigger != NULL ? bigger : binary->functions;
    return bigger != NULL;
}

static void free_function(struct function *function)
{
    host_free(function->name);
    host_free(function->own_params);
    handle_free(HANDLE_FUNCTION, function);
}

struct function *binary_add(struct binary *binary, const char *name, struct text *why)
{
    if (binary_find(binary, name) != NULL) {
        text_add(why, "it has two kernels named %s", name);
        return NULL;
    }
    struct function *function = make_room(binary) ? handle_new(HANDLE_FUNCTION) : NULL;
    if (function == NULL) {
        text_add(why, "no memory left");
        return NULL;
    }
    function->binary = binary;
    function->name = text_copy(name);
    if (function->name == NULL || !table_add(&binary->by_name, hash_name(name), binary->count)) {
        free_function(function);
        text_add(why, "no memory left");
        return NULL;
    }
    binary->functions[binary->count++] = function;
    function_set_entry(function);
    return function;
}

void function_set_head(struct function *function)
{
    unsigned slots = function->cpu ? 0 : function->system_slots;
    if (slots > 0 && function->overflow) {
        --slots; /* it is behind the parameters */
    }
    if (slots > 1 && function->ffts && !soc_is(SOC_A2)) {
        --slots; /* no inter-core sync on this chip */
    }
    function->head_slots = (uint8_t)slots;
}

/* ---- entries ------------------------------------------------------------------------------------------ */

/* What follows the last underscore, if it is digits only and a 64-bit number; else 0. */
void function_set_entry(struct function *function)
{
    const char *underscore = strrchr(function->name, '_');
    const char *digits = underscore != NULL ? underscore + 1 : function->name;
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(digits, &end, 10);
    bool plain = digits[0] >= '0' && digits[0] <= '9' && *end == '\0' && errno == 0;
    function->entry = plain ? number : 0;
    function->has_entry = true;
}

static struct table_slot *find_entry(const struct binary *binary, uint64_t entry)
{
    struct table_probe probe = table_probe(&binary->by_entry, table_hash(&entry, sizeof(entry)));
    for (struct table_slot *slot = table_next(&probe); slot != NULL; slot = table_next(&probe)) {
        if (binary->functions[slot->index - 1]->entry == entry) {
            return slot;
        }
    }
    return NULL;
}

struct function *binary_find_entry(const struct binary *binary, uint64_t entry)
{
    const struct table_slot *slot = find_entry(binary, entry);
    return slot != NULL ? binary->functions[slot->index - 1] : NULL;
}

bool binary_index_entries(struct binary *binary, struct text *why)
{
    for (size_t i = 0; i < binary->count; ++i) {
        const struct function *function = binary->functions[i];
        struct table_slot *slot = function->has_entry ? find_entry(binary, function->entry) : NULL;
        if (slot != NULL) {
            bool first = strcmp(function->name, binary->functions[slot->index - 1]->name) < 0;
            slot->index = first ? (uint32_t)i + 1 : slot->index;
        } else if (function->has_entry &&
                   !table_add(&binary->by_entry, table_hash(&function->entry, sizeof(function->entry)), i)) {
            text_add(why, "no memory left");
            return false;
        }
    }
    return true;
}

/* ---- globals ------------------------------------------------------------------------------------------ */

static struct global *find_global(const struct binary *binary, const char *name)
{
    struct table_probe probe = table_probe(&binary->globals_by_name, hash_name(name));
    for (struct table_slot *slot = table_next(&probe); slot != NULL; slot = table_next(&probe)) {
        struct global *global = &binary->globals[slot->index - 1];
        if (strcmp(global->name, name) == 0) {
            return global;
        }
    }
    return NULL;
}

const struct global *binary_find_global(const struct binary *binary, const char *name)
{
    return find_global(binary, name);
}

bool binary_add_global(struct binary *binary, const char *name, uint64_t offset, uint64_t size, struct text *why)
{
    struct global *known = find_global(binary, name);
    if (known != NULL) {
        known->offset = offset;
        known->size = size;
        return true;
    }
    size_t count = binary->num_globals;
    if ((count & (count - 1)) == 0) {
        struct global *bigger = host_resize(binary->globals, (count ? count * 2 : 1) * sizeof(*bigger));
        if (bigger == NULL) {
            text_add(why, "no memory left");
            return false;
        }
        binary->globals = bigger;
    }
    char *copy = text_copy(name);
    if (copy == NULL || !table_add(&binary->globals_by_name, hash_name(name), count)) {
        host_free(copy);
        text_add(why, "no memory left");
        return false;
    }
    binary->globals[binary->num_globals++] = (struct global){copy, offset, size};
    return true;
}

/* ---- start and end ------------------------------------------------------------------------------------ */

struct binary *binary_new(const char *path)
{
    struct binary *binary = handle_new(HANDLE_BINARY);
    if (binary == NULL) {
        return NULL;
    }
    pthread_mutex_init(&binary->lock, NULL);
    binary->path = text_copy(path);
    if (binary->path == NULL) {
        binary_free(binary);
        return NULL;
    }
    return binary;
}

void binary_publish(struct binary *binary)
{
    for (size_t i = 0; i < binary->count; ++i) {
        handle_publish(HANDLE_FUNCTION, binary->functions[i]);
    }
    handle_publish(HANDLE_BINARY, binary);
}

void binary_free(struct binary *binary)
{
    for (size_t i = 0; i < binary->count; ++i) {
        free_function(binary->functions[i]);
    }
    for (size_t i = 0; i < binary->num_globals; ++i) {
        host_free(binary->globals[i].name);
    }
    host_free(binary->functions);
    host_free(binary->globals);
    table_free(&binary->by_name);
    table_free(&binary->by_entry);
    table_free(&binary->globals_by_name);
    hostbin_unload(binary);
    host_free(binary->data);
    host_free(binary->path);
    pthread_mutex_destroy(&binary->lock);
    handle_free(HANDLE_BINARY, binary);
}
