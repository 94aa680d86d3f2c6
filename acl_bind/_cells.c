#include "_fast.h"

#include <string.h>

/* ---- cells -------------------------------------------------------------------------------------------- */

static int store_int(PyObject *value, uint64_t *place)
{
    uint64_t number = PyLong_AsUnsignedLongLong(value);
    if (number == UINT64_MAX && PyErr_Occurred()) {
        return -1;
    }
    *place = number;
    return 0;
}

static PyObject *get_handle(PyObject *self, void *unused)
{
    (void)unused;
    const Cell *cell = (const Cell *)self;
    return cell->open ? PyLong_FromUnsignedLongLong(cell->handle) : Py_NewRef(Py_None);
}

static int set_handle(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    Cell *cell = (Cell *)self;
    if (value == NULL || value == Py_None) {
        cell->open = false;
        return 0;
    }
    cell->open = store_int(value, &cell->handle) == 0;
    return cell->open ? 0 : -1;
}

static PyObject *get_context(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(((const Cell *)self)->context);
}

static int set_context(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "_context cannot be deleted");
        return -1;
    }
    return store_int(value, &((Cell *)self)->context);
}

static PyObject *get_ring(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *ring = ((const Cell *)self)->ring;
    return Py_NewRef(ring != NULL ? ring : Py_None);
}

static int set_ring(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    PyObject *before = ((Cell *)self)->ring;
    ((Cell *)self)->ring = Py_XNewRef(value);
    Py_XDECREF(before);
    return 0;
}

static PyObject *get_settled(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(((const Cell *)self)->settled);
}

static int set_settled(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    uint64_t wanted = 0;
    Cell *cell = (Cell *)self;
    if (value != NULL && store_int(value, &wanted) != 0) {
        return -1;
    }
    cell->settled = cell->settled == SETTLED_NEVER ? SETTLED_NEVER : wanted; /* another thread may have come first */
    return 0;
}

static void cell_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_CLEAR(((Cell *)self)->ring);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyGetSetDef cell_members[] = {
    {"_handle", get_handle, set_handle, "the C handle, None once it is closed", NULL},
    {"_context", get_context, set_context, "the C handle of the context it is of, 0: of none", NULL},
    {"_settled", get_settled, set_settled, "of a stream, 1 + the epoch in which sync() found nothing to ask, or what stays: never", NULL},
    {"_ring", get_ring, set_ring, "what a stream's queued work uses, else None", NULL},
    {0},
};

static PyType_Slot cell_slots[] = {{Py_tp_getset, cell_members}, {Py_tp_dealloc, cell_dealloc}, {0, NULL}};
PyType_Spec cell_spec = {"acl_bind._fast.Cell", sizeof(Cell), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, cell_slots};

/* ---- rings -------------------------------------------------------------------------------------------- */

#define FIRST_CAPACITY 256
#define CHECK_EVERY    1024 /* entries, as in _plain.py */
#define LASTI_BITS     32
#define CODE_WORD      2
#define FIXED_WORDS    3 /* header (count of references, lasti), owner, code */

static uintptr_t *word(const Ring *ring, size_t index)
{
    return &ring->words[(ring->head + index) & (ring->capacity - 1)];
}

static bool reserve(Ring *ring, size_t count)
{
    size_t capacity = ring->capacity != 0 ? ring->capacity : FIRST_CAPACITY;
    while (capacity - ring->used < count) {
        capacity *= 2;
    }
    if (capacity == ring->capacity) {
        return true;
    }
    uintptr_t *words = PyMem_Malloc(capacity * sizeof(*words));
    if (words == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < ring->used; ++i) {
        words[i] = *word(ring, i);
    }
    PyMem_Free(ring->words);
    ring->words = words;
    ring->capacity = capacity;
    ring->head = 0;
    return true;
}

/* Every so many entries the stream is asked what it has passed: _inflight.py. */
static bool check_progress(Ring *ring)
{
    if (ring->position % CHECK_EVERY != 0) {
        return true;
    }
    PyObject *result = PyObject_CallMethod((PyObject *)ring, "check", NULL);
    Py_XDECREF(result);
    return result != NULL;
}

bool ring_push(Ring *ring, PyObject *owner, PyObject *code, int lasti, PyObject *const *refs, size_t count)
{
    if (!reserve(ring, FIXED_WORDS + count)) {
        return false;
    }
    size_t end = ring->used;
    *word(ring, end) = (uintptr_t)count << LASTI_BITS | (uint32_t)lasti;
    *word(ring, end + 1) = (uintptr_t)Py_NewRef(owner);
    *word(ring, end + CODE_WORD) = (uintptr_t)Py_XNewRef(code);
    for (size_t i = 0; i < count; ++i) {
        *word(ring, end + FIXED_WORDS + i) = (uintptr_t)Py_NewRef(refs[i]);
    }
    ring->used += FIXED_WORDS + count;
    ++ring->position;
    return check_progress(ring);
}

/* Letting go of objects may run any code, which may use this ring: a whole entry is taken out first. */
static void drop_first(Ring *ring)
{
    PyObject *objects[RING_MAX_REFS + FIXED_WORDS - 1];
    size_t count = (*word(ring, 0) >> LASTI_BITS) + FIXED_WORDS - 1;
    for (size_t i = 0; i < count; ++i) {
        objects[i] = (PyObject *)*word(ring, i + 1);
    }
    ring->head = (ring->head + count + 1) & (ring->capacity - 1);
    ring->used -= count + 1;
    ++ring->first;
    for (size_t i = 0; i < count; ++i) {
        Py_XDECREF(objects[i]);
    }
}

void ring_let_go(Ring *ring, uint64_t position)
{
    while (ring->first < position && ring->first < ring->position) {
        drop_first(ring);
    }
}

static PyObject *ring_release(PyObject *self, PyObject *position)
{
    uint64_t until = PyLong_AsUnsignedLongLong(position);
    if (until == UINT64_MAX && PyErr_Occurred()) {
        return NULL;
    }
    ring_let_go((Ring *)self, until);
    Py_RETURN_NONE;
}

static PyObject *ring_keep(PyObject *self, PyObject *args)
{
    PyObject *owner, *code, *refs;
    int lasti;
    if (!PyArg_ParseTuple(args, "OOiO:keep", &owner, &code, &lasti, &refs)) {
        return NULL;
    }
    return ring_push((Ring *)self, owner, code == Py_None ? NULL : code, lasti, &refs, 1) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *ring_launches(PyObject *self, PyObject *unused)
{
    (void)unused;
    const Ring *ring = (const Ring *)self;
    PyObject *list = PyList_New(0);
    for (size_t at = 0; list != NULL && at < ring->used; at += FIXED_WORDS + (*word(ring, at) >> LASTI_BITS)) {
        PyObject *code = (PyObject *)*word(ring, at + CODE_WORD);
        PyObject *row = code == NULL ? Py_NewRef(Py_None)
                                     : Py_BuildValue("OOi", (PyObject *)*word(ring, at + 1), code, (int)(uint32_t)*word(ring, at));
        if (row == NULL || (code != NULL && PyList_Append(list, row) != 0)) {
            Py_CLEAR(list);
        }
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *ring_objects(PyObject *self, PyObject *unused)
{
    (void)unused;
    const Ring *ring = (const Ring *)self;
    PyObject *list = PyList_New(0);
    for (size_t at = 0; list != NULL && at < ring->used;) {
        size_t count = (*word(ring, at) >> LASTI_BITS) + FIXED_WORDS;
        for (size_t i = 1; list != NULL && i < count; ++i) {
            PyObject *object = (PyObject *)*word(ring, at + i);
            if (i != CODE_WORD && PyList_Append(list, object) != 0) {
                Py_CLEAR(list);
            }
        }
        at += count;
    }
    return list;
}

static PyObject *ring_position(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(((const Ring *)self)->position);
}

static Py_ssize_t ring_length(PyObject *self)
{
    const Ring *ring = (const Ring *)self;
    return (Py_ssize_t)(ring->position - ring->first);
}

static int ring_traverse(PyObject *self, visitproc visit, void *arg)
{
    const Ring *ring = (const Ring *)self;
    Py_VISIT(Py_TYPE(self));
    for (size_t at = 0; at < ring->used;) {
        size_t count = (*word(ring, at) >> LASTI_BITS) + FIXED_WORDS;
        for (size_t i = 1; i < count; ++i) {
            Py_VISIT((PyObject *)*word(ring, at + i));
        }
        at += count;
    }
    return 0;
}

static int ring_clear(PyObject *self)
{
    Ring *ring = (Ring *)self;
    while (ring->used > 0) {
        drop_first(ring);
    }
    return 0;
}

static void ring_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    ring_clear(self);
    PyMem_Free(((Ring *)self)->words);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *ring_check(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    Py_RETURN_NONE;
}

static PyMethodDef ring_methods[] = {
    {"check", ring_check, METH_NOARGS, "called every so many entries; nothing is known here of what the stream has passed"},
    {"keep", ring_keep, METH_VARARGS, "keep(owner, code or None, lasti, refs): one entry more"},
    {"release", ring_release, METH_O, "release(position): let go of the entries before it"},
    {"objects", ring_objects, METH_NOARGS, "all owners and references that are kept"},
    {"launches", ring_launches, METH_NOARGS, "(owner, code, lasti) of every entry that is a launch, the oldest first"},
    {0},
};

static PyGetSetDef ring_members[] = {{"position", ring_position, NULL, "number of the next entry", NULL}, {0}};

static PyType_Slot ring_slots[] = {
    {Py_tp_methods, ring_methods},   {Py_tp_getset, ring_members}, {Py_sq_length, ring_length},
    {Py_tp_traverse, ring_traverse}, {Py_tp_clear, ring_clear},    {Py_tp_dealloc, ring_dealloc},
    {0, NULL},
};
PyType_Spec ring_spec = {"acl_bind._fast.Ring", sizeof(Ring), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                         ring_slots};
