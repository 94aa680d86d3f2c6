/* The two objects that the typed call reads without asking Python: a handle's owner, and what a stream's work uses. */
#ifndef ACL_BIND_FAST_H
#define ACL_BIND_FAST_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

/* The C part of a Handle: `_handle` (None once it is closed), `_context` and, of a stream, `_ring` and `_settled`. */
typedef struct {
    PyObject_HEAD
    uint64_t handle;
    uint64_t context;
    PyObject *ring; /* NULL: none */
    uint64_t settled; /* 1 + the epoch in which sync() found nothing to ask Python; 0: not yet */
    bool open;
} Cell;

/* Entries of what queued work uses: its owner, the launch's code object or NULL, references. See _plain.Ring. */
typedef struct {
    PyObject_HEAD
    uintptr_t *words;
    size_t capacity; /* a power of two, 0 at first */
    size_t head;
    size_t used;
    uint64_t first;    /* number of the oldest entry */
    uint64_t position; /* of the next entry */
} Ring;

#define SETTLED_NEVER UINT64_MAX /* and for good */

extern PyType_Spec cell_spec, ring_spec;

bool is_ring(PyObject *object);

#define RING_MAX_REFS 128

/* False with an exception set. code NULL: no launch. */
bool ring_push(Ring *ring, PyObject *owner, PyObject *code, int lasti, PyObject *const *refs, size_t count);
/* Drops the entries before a position, which may run any code. */
void ring_let_go(Ring *ring, uint64_t position);

/* _sync.c, of the module: connect_sync, and a part of disconnect. */
PyObject *sync_connect(PyObject *module, PyObject *args);
void sync_disconnect(void);

#endif
