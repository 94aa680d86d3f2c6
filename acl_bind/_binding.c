/* The extension's own C code; _build.py fills in the lists. */
#include <dlfcn.h>
#include <string.h>

#include <acl/acl.h>
#include <aclmock/aclmock.h>

/* One pointer a function of the headers; NULL: the opened library does not have it. */
static struct {
/* MEMBERS */
} table;

static const struct {
    const char *name;
    void **slot;
} rows[] = {
/* ROWS */
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static void *library;
static char library_path[4096];

static void **find_slot(const char *function, const char **name)
{
    for (size_t i = 0; i < ROW_COUNT; ++i) {
        if (strcmp(rows[i].name, function) == 0) {
            *name = rows[i].name;
            return rows[i].slot;
        }
    }
    return NULL;
}

/* Opens a library and fills the table from it. NULL, or what is wrong with it. */
static const char *acl_bind_open(const char *path)
{
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (opened == NULL) {
        return dlerror();
    }
    library = opened;
    strncpy(library_path, path, sizeof(library_path) - 1);
    for (size_t i = 0; i < ROW_COUNT; ++i) {
        *rows[i].slot = dlsym(library, rows[i].name);
    }
    Dl_info info;
    void *init = dlsym(library, "aclInit");
    if (init != NULL && dladdr(init, &info) != 0 && info.dli_fname != NULL) {
        strncpy(library_path, info.dli_fname, sizeof(library_path) - 1);
    }
    return NULL;
}

/* The file that was opened, "" before. */
static const char *acl_bind_path(void)
{
    return library_path;
}

static const char *acl_bind_description(void)
{
    return
/* DESCRIPTION */
    ;
}

static int acl_bind_has(const char *function)
{
    const char *name;
    void **slot = find_slot(function, &name);
    return slot != NULL && *slot != NULL;
}

/* For tests: plays a library that lacks the function. */
static void acl_bind_hide(const char *function, int hidden)
{
    const char *name;
    void **slot = find_slot(function, &name);
    if (slot != NULL && library != NULL) {
        *slot = hidden ? NULL : dlsym(library, name);
    }
}

/* WRAPPERS */
