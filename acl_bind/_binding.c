/* The extension's own C code; _build.py fills in the lists. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>
#include <aclmock/aclmock.h>

#include "_route.h"

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

/* Changes when contexts may have ended, and the addresses that are theirs with them. */
static _Atomic uint64_t epoch;

/* After a function that ends some. */
static inline int contexts_ended(int code)
{
    ++epoch;
    return code;
}

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

/* ---- DLPack: what ends a tensor that was given away, see _dlpack.py ------------------------------------- */

/* A consumer that failed calls this with its exception set, which Python code would destroy. */
static void drop_owner(PyObject *owner)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Py_DecRef(owner);
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(state);
}

/* manager_ctx is behind the 48 bytes of a DLTensor, */
static void drop_tensor(void *managed)
{
    drop_owner(((PyObject **)managed)[6]);
}

/* or behind the version. */
static void drop_versioned(void *managed)
{
    drop_owner(((PyObject **)managed)[1]);
}

/* A capsule that nobody consumed still owns its tensor. */
static void drop_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        drop_tensor(PyCapsule_GetPointer(capsule, "dltensor"));
    } else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        drop_versioned(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    }
}

static uintptr_t acl_bind_tensor_deleter(int versioned)
{
    return versioned ? (uintptr_t)drop_versioned : (uintptr_t)drop_tensor;
}

static uintptr_t acl_bind_capsule_destructor(void)
{
    return (uintptr_t)drop_capsule;
}

/* For kernels in Python, which no longjmp may leave. */
static void *acl_bind_kernel_reach(aclmock_ctx *ctx, uint64_t address, size_t bytes)
{
    return ctx->calls->reach(ctx, address, bytes);
}

static void acl_bind_kernel_note(aclmock_ctx *ctx, const char *text)
{
    ctx->calls->note(ctx, text[0] != '\0' ? text : NULL);
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

/* ---- flat faces --------------------------------------------------------------------------------------- */

/* A face with one output returns the output, since that is what costs least to get into Python. When the function
 * failed, or the output happens to look like the mark, it returns the mark (the largest unsigned or the smallest signed
 * number), and code and output wait here. They are a stack: whatever Python runs on this thread before it takes them puts
 * its own on top and takes them first. */
#define FLAT_DEPTH 64

static _Thread_local struct flat_result {
    int64_t code;
    uint64_t value;
} flat_results[FLAT_DEPTH];
static _Thread_local size_t flat_depth;

static void flat_keep(int64_t code, uint64_t value)
{
    flat_depth += flat_depth < FLAT_DEPTH;
    flat_results[flat_depth - 1] = (struct flat_result){code, value};
}

static inline uint64_t flat_uint64_t(int64_t code, uint64_t value)
{
    if (code == 0 && value != UINT64_MAX) {
        return value;
    }
    flat_keep(code, value);
    return UINT64_MAX;
}

static inline int64_t flat_int64_t(int64_t code, int64_t value)
{
    if (code == 0 && value != INT64_MIN) {
        return value;
    }
    flat_keep(code, (uint64_t)value);
    return INT64_MIN;
}

/* Of the newest result that waits. */
static int64_t acl_bind_flat_code(void)
{
    return flat_results[flat_depth - 1].code;
}

/* Takes it. */
static uint64_t acl_bind_flat_value(void)
{
    return flat_results[--flat_depth].value;
}

/* ROUTE */
/* WRAPPERS */

static const struct {
    const char *name;
    uint64_t (*call)(const uint64_t *);
} thunks[] = {
/* THUNKS */
};

/* The address of a flat face that takes its parameters as an array of 64-bit values; 0: there is none. */
static uint64_t acl_bind_thunk(const char *function)
{
    for (size_t i = 0; i < sizeof(thunks) / sizeof(thunks[0]); ++i) {
        if (strcmp(thunks[i].name, function) == 0) {
            return (uint64_t)(uintptr_t)thunks[i].call;
        }
    }
    return 0;
}
