/* The typed call in C, for arguments of the plainest kinds: what typed.py does through cffi, in a third of the time.
 *
 * Whatever is not plain (an argument of another type, a closed object, a context not seen before) is left to the
 * launcher's `_slow`, which is Python and has all the checks and messages. Limited API: one build serves all Pythons.
 */
#include "_fast.h"

#include <dlfcn.h>
#include <string.h>

#include "_route.h"

#define BLOCK_ON_STACK 1024
#define BLOCKS_AT_MOST 0xFFFF /* the runtime cuts the number to 16 bits */

static acl_bind_launch_block_t launch_block;
static PyObject *stream_type, *buffer_type, *placeholder_type, *args_type, *slow_launch;
static PyObject *data_name, *tobytes_name, *slow_name, *failed_name, *launchers_name, *plain_name;
static PyTypeObject *ring_base, *launcher_base;
/* Every Python from 3.11 on has it, but not in the limited API. */
static int (*frame_lasti)(PyFrameObject *);

struct slot {
    char kind;      /* p pointer, i int, f float, v other value, d placeholder */
    uint32_t offset;
    uint32_t size;
    int64_t low;    /* of an int */
    uint64_t high;
    PyObject *type; /* of values that are taken bit by bit, borrowed from `keep`; NULL: none */
};

typedef struct {
    PyObject_HEAD
    acl_bind_plan plan;     /* without params and placeholders; size: of all but the placeholders' data */
    acl_bind_hidden hidden;
    uint32_t data_align;
    PyObject *keep;         /* kernel's binary (a Cell), types of slots */
    PyObject *config;       /* the LaunchConfig that was used last, */
    acl_bind_target shape;  /* and what it means */
    struct slot *slots;
} Launcher;

/* One call while it is put together. */
struct call {
    acl_bind_plan plan;
    acl_bind_hidden hidden;
    acl_bind_target target;
    acl_bind_param params[ACL_BIND_MAX_PARAMS];
    aclrtPlaceHolderInfo placeholders[ACL_BIND_MAX_PARAMS];
    PyObject *kept[RING_MAX_REFS]; /* borrowed from the arguments */
    size_t num_kept;
    char block[BLOCK_ON_STACK] __attribute__((aligned(16)));
};

/* ---- arguments: false, perhaps with an exception set, means that it is not as plain as that ------------ */

static bool put_bytes(char *place, PyObject *bytes, size_t size)
{
    bool done = bytes != NULL && PyBytes_Check(bytes) && (size_t)PyBytes_Size(bytes) == size;
    if (done) {
        memcpy(place, PyBytes_AsString(bytes), size);
    }
    return done;
}

static bool put_pointer(struct call *call, char *place, PyObject *value)
{
    if (value == Py_None) {
        return true; /* the block is zeros */
    }
    const Cell *cell = (const Cell *)value;
    if ((PyObject *)Py_TYPE(value) != buffer_type || !cell->open || (void *)cell->context != call->target.context) {
        return false;
    }
    memcpy(place, &cell->handle, sizeof(cell->handle));
    call->kept[call->num_kept++] = value;
    return true;
}

static bool put_int(char *place, PyObject *value, const struct slot *slot)
{
    int overflow;
    long long bits = PyLong_AsLongLongAndOverflow(value, &overflow);
    bool fits = overflow == 0 && (bits < 0 ? bits >= slot->low : (uint64_t)bits <= slot->high);
    memcpy(place, &bits, slot->size); /* little-endian, as the device */
    return fits;
}

static bool put_float(char *place, PyObject *value, const struct slot *slot)
{
    double number = PyFloat_AsDouble(value);
    float single = (float)number;
    bool is_single = slot->size == sizeof(single);
    memcpy(place, is_single ? (void *)&single : (void *)&number, is_single ? sizeof(single) : sizeof(number));
    return !is_single || single - single == 0 || number - number != 0; /* what became inf was inf */
}

static bool put_index(char *place, PyObject *value, const struct slot *slot)
{
    PyObject *number = PyNumber_Index(value);
    bool done = number != NULL && put_int(place, number, slot);
    Py_XDECREF(number);
    return done;
}

/* A numpy scalar, bit by bit. */
static bool put_bits(char *place, PyObject *value, const struct slot *slot)
{
    PyObject *bytes = PyObject_CallMethodObjArgs(value, tobytes_name, NULL);
    bool done = put_bytes(place, bytes, slot->size);
    Py_XDECREF(bytes);
    return done;
}

/* Its pointer is left to the launch, its data comes behind everything else. */
static bool put_placeholder(struct call *call, const Launcher *launcher, size_t index, PyObject *value)
{
    if ((PyObject *)Py_TYPE(value) != placeholder_type) {
        return false;
    }
    PyObject *data = PyObject_GetAttr(value, data_name);
    size_t size = data != NULL && PyBytes_Check(data) ? (size_t)PyBytes_Size(data) : 0;
    size_t end = (call->plan.size + launcher->data_align - 1) / launcher->data_align * launcher->data_align;
    bool done = size != 0 && end + size <= sizeof(call->block);
    if (done) {
        memset(call->block + call->plan.size, 0, end - call->plan.size);
        memcpy(call->block + end, PyBytes_AsString(data), size);
        call->placeholders[call->plan.num_placeholders++] =
            (aclrtPlaceHolderInfo){launcher->slots[index].offset, (uint32_t)end};
        call->params[index] = (acl_bind_param){launcher->slots[index].offset, (uint32_t)size, (uint32_t)end};
        call->plan.size = end + size;
        call->kept[call->num_kept++] = value;
    }
    Py_XDECREF(data); /* the placeholder has it */
    return done;
}

static bool put_value(struct call *call, PyObject *value, const struct slot *slot)
{
    char *place = call->block + slot->offset;
    if (slot->kind == 'p') {
        return put_pointer(call, place, value);
    }
    if (slot->kind == 'i' && PyLong_CheckExact(value)) {
        return put_int(place, value, slot);
    }
    if (slot->kind == 'f' && (PyObject *)Py_TYPE(value) == (PyObject *)&PyFloat_Type) {
        return put_float(place, value, slot);
    }
    if ((PyObject *)Py_TYPE(value) != slot->type) {
        return false;
    }
    return slot->kind == 'i' ? put_index(place, value, slot) : put_bits(place, value, slot);
}

static bool put_args(struct call *call, const Launcher *launcher, PyObject *args, Py_ssize_t first)
{
    memset(call->block, 0, call->plan.size);
    for (size_t i = 0; i < call->plan.num_params; ++i) {
        const struct slot *slot = &launcher->slots[i];
        PyObject *value = PyTuple_GetItem(args, first + (Py_ssize_t)i);
        call->params[i] = (acl_bind_param){slot->offset, slot->size, 0};
        bool done = slot->kind == 'd' ? put_placeholder(call, launcher, i, value) : put_value(call, value, slot);
        if (!done) {
            return false;
        }
    }
    return true;
}

bool is_ring(PyObject *object)
{
    return object != NULL && PyObject_TypeCheck(object, ring_base);
}

/* ---- the call ----------------------------------------------------------------------------------------- */

static bool set_target(acl_bind_target *target, const Launcher *launcher, PyObject *stream, PyObject *config)
{
    const Cell *cell = (const Cell *)stream;
    if ((PyObject *)Py_TYPE(stream) != stream_type || !cell->open || cell->context == 0 || !is_ring(cell->ring)) {
        return false;
    }
    *target = launcher->shape;
    if (PyLong_CheckExact(config)) {
        long blocks = PyLong_AsLong(config);
        target->config = NULL;
        target->num_blocks = (uint32_t)blocks;
        if (blocks < 1 || blocks > BLOCKS_AT_MOST) {
            return false;
        }
    } else if (config != launcher->config) {
        return false;
    }
    target->context = (void *)cell->context;
    target->stream = (void *)cell->handle;
    return true;
}

/* args: stream, config, perhaps more, and from `first` on the kernel's arguments. */
static bool put_together(struct call *call, const Launcher *launcher, PyObject *args, Py_ssize_t first)
{
    const Cell *binary = (const Cell *)PyTuple_GetItem(launcher->keep, 0);
    if ((size_t)PyTuple_Size(args) != launcher->plan.num_params + (size_t)first || !binary->open ||
        !set_target(&call->target, launcher, PyTuple_GetItem(args, 0), PyTuple_GetItem(args, 1))) {
        return false;
    }
    call->num_kept = 0;
    call->hidden = launcher->hidden;
    call->plan = launcher->plan;
    call->plan.params = call->params;
    call->plan.placeholders = call->placeholders;
    return put_args(call, launcher, args, first);
}

/* What the launch uses lives until the stream has passed it, and its line in the program is remembered. */
static PyObject *keep(const struct call *call, PyObject *owner, PyObject *stream)
{
    PyObject *ring = ((const Cell *)stream)->ring;
    PyFrameObject *frame = PyEval_GetFrame();
    PyObject *code = frame != NULL ? (PyObject *)PyFrame_GetCode(frame) : NULL;
    bool done = ring_push((Ring *)ring, owner, code, code != NULL ? frame_lasti(frame) : 0, call->kept, call->num_kept);
    Py_XDECREF(code);
    return done ? Py_NewRef(Py_None) : NULL;
}

/* NULL without an exception: it is not as plain as that, and nothing was launched. */
static PyObject *try_launch(PyObject *self, PyObject *args, Py_ssize_t first)
{
    struct call call;
    int code;
    if (!put_together(&call, (const Launcher *)self, args, first)) {
        PyErr_Clear();
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS /* a full stream makes the launch wait, perhaps for a callback in Python */
    code = launch_block(&call.plan, &call.hidden, &call.target, call.block);
    Py_END_ALLOW_THREADS
    if (code == 0) {
        return keep(&call, self, PyTuple_GetItem(args, 0));
    }
    PyObject *number = code > 0 ? PyLong_FromLong(code) : NULL;
    PyObject *result = number != NULL ? PyObject_CallMethodObjArgs(self, failed_name, number, NULL) : NULL;
    Py_XDECREF(number);
    return result;
}

/* launcher(stream, config, *values) */
static PyObject *launcher_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *result = kwargs == NULL && PyTuple_Size(args) >= 2 ? try_launch(self, args, 2) : NULL;
    if (result != NULL || PyErr_Occurred()) {
        return result;
    }
    PyObject *slow = PyObject_GetAttr(self, slow_name);
    result = slow != NULL ? PyObject_Call(slow, args, kwargs) : NULL;
    Py_XDECREF(slow);
    return result;
}

/* The launcher for the classes of a plain launch's values. NULL, without an exception: none. */
static PyObject *find_launcher(PyObject *kernel, PyObject *args, Py_ssize_t first)
{
    Py_ssize_t count = PyTuple_Size(args) - first;
    PyObject *launchers = PyObject_GetAttr(kernel, launchers_name);
    PyObject *types = launchers != NULL && PyDict_Check(launchers) ? PyTuple_New(count) : NULL;
    for (Py_ssize_t i = 0; types != NULL && i < count; ++i) {
        PyTuple_SetItem(types, i, Py_NewRef((PyObject *)Py_TYPE(PyTuple_GetItem(args, first + i))));
    }
    PyObject *found = types != NULL ? PyDict_GetItemWithError(launchers, types) : NULL;
    found = found != NULL && PyObject_TypeCheck(found, launcher_base) ? Py_NewRef(found) : NULL;
    Py_XDECREF(types);
    Py_XDECREF(launchers);
    PyErr_Clear();
    return found;
}

/* launch(stream, config, kernel, KernelArgs) as launch(stream, config, kernel, *values), where that is the same.
 * NULL, perhaps with an exception: it is not. */
static PyObject *spread(PyObject *args)
{
    PyObject *plain = PyObject_GetAttr(PyTuple_GetItem(args, 3), plain_name);
    bool same = plain != NULL && PyTuple_Check(plain) && PyTuple_GetItem(plain, 0) == PyTuple_GetItem(args, 2);
    PyObject *target = same ? PyTuple_GetSlice(args, 0, 2) : NULL;
    PyObject *all = target != NULL ? PySequence_Concat(target, plain) : NULL;
    Py_XDECREF(target);
    Py_XDECREF(plain);
    return all;
}

/* NULL without an exception: it is not as plain as that. */
static PyObject *launch_plain(PyObject *args)
{
    PyObject *launcher = find_launcher(PyTuple_GetItem(args, 2), args, 3);
    PyObject *result = launcher != NULL ? try_launch(launcher, args, 3) : NULL;
    Py_XDECREF(launcher);
    return result;
}

/* launch(stream, config, kernel, *values) or launch(stream, config, kernel, KernelArgs) */
static PyObject *launch(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *result = NULL;
    Py_ssize_t count = PyTuple_Size(args);
    if (count == 4 && (PyObject *)Py_TYPE(PyTuple_GetItem(args, 3)) == args_type) {
        PyObject *all = spread(args);
        PyErr_Clear();
        result = all != NULL ? launch_plain(all) : NULL;
        Py_XDECREF(all);
    } else if (count >= 3) {
        result = launch_plain(args);
    }
    return result != NULL || PyErr_Occurred() ? result : PyObject_Call(slow_launch, args, NULL);
}

/* ---- making launchers --------------------------------------------------------------------------------- */

static bool read_slots(Launcher *launcher, PyObject *rows)
{
    Py_ssize_t count = PyList_Size(rows);
    struct slot *slots = PyMem_Calloc((size_t)count + 1, sizeof(*slots));
    for (Py_ssize_t i = 0; slots != NULL && i < count; ++i) {
        struct slot *slot = &slots[i];
        int kind;
        long long low;
        unsigned long long high;
        if (!PyArg_ParseTuple(PyList_GetItem(rows, i), "CIILKO", &kind, &slot->offset, &slot->size, &low, &high, &slot->type)) {
            PyMem_Free(slots);
            return false;
        }
        slot->kind = (char)kind;
        slot->low = low;
        slot->high = high;
    }
    PyMem_Free(launcher->slots);
    launcher->slots = slots;
    launcher->plan.num_params = (size_t)count;
    return slots != NULL || PyErr_NoMemory() != NULL;
}

static PyObject *launcher_set_up(PyObject *self, PyObject *args)
{
    Launcher *launcher = (Launcher *)self;
    unsigned long long function;
    Py_ssize_t size;
    PyObject *slots;
    acl_bind_plan *plan = &launcher->plan;
    if (!PyArg_ParseTuple(args, "KO!nIIIppO!", &function, &PyList_Type, &slots, &size, &plan->sync_size,
                          &plan->overflow_offset, &launcher->data_align, &plan->by_handles, &plan->host_args_only,
                          &PyTuple_Type, &launcher->keep)) {
        launcher->keep = NULL;
        return NULL;
    }
    Py_INCREF(launcher->keep);
    if (size > BLOCK_ON_STACK || PyList_Size(slots) > ACL_BIND_MAX_PARAMS) {
        return PyErr_Format(PyExc_ValueError, "more arguments than fit the typed call's %d bytes", BLOCK_ON_STACK);
    }
    plan->function = (void *)(uintptr_t)function;
    plan->size = (size_t)size;
    return read_slots(launcher, slots) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *launcher_set_hidden(PyObject *self, PyObject *args)
{
    unsigned long long context, epoch, sync, overflow;
    if (!PyArg_ParseTuple(args, "KKKK", &context, &epoch, &sync, &overflow)) {
        return NULL;
    }
    ((Launcher *)self)->hidden = (acl_bind_hidden){(void *)(uintptr_t)context, epoch, sync, overflow};
    Py_RETURN_NONE;
}

static PyObject *launcher_set_config(PyObject *self, PyObject *args)
{
    Launcher *launcher = (Launcher *)self;
    PyObject *config, *before = launcher->config;
    unsigned long long address;
    unsigned int blocks;
    if (!PyArg_ParseTuple(args, "OKI", &config, &address, &blocks)) {
        return NULL;
    }
    launcher->config = Py_NewRef(config);
    launcher->shape = (acl_bind_target){NULL, NULL, (void *)(uintptr_t)address, blocks};
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

static void launcher_dealloc(PyObject *self)
{
    Launcher *launcher = (Launcher *)self;
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(launcher->keep);
    Py_XDECREF(launcher->config);
    PyMem_Free(launcher->slots);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMethodDef launcher_methods[] = {
    {"_set_up", launcher_set_up, METH_VARARGS, NULL},
    {"_set_hidden", launcher_set_hidden, METH_VARARGS, NULL},
    {"_set_config", launcher_set_config, METH_VARARGS, NULL},
    {0},
};
static PyType_Slot launcher_slots[] = {
    {Py_tp_methods, launcher_methods}, {Py_tp_call, launcher_call}, {Py_tp_dealloc, launcher_dealloc}, {0, NULL}};
static PyType_Spec launcher_spec = {"acl_bind._fast.Launcher", sizeof(Launcher), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                    launcher_slots};

/* ---- the module --------------------------------------------------------------------------------------- */

static int lasti_of(PyFrameObject *frame) /* Python 3.10 */
{
    PyObject *number = PyObject_GetAttrString((PyObject *)frame, "f_lasti");
    int lasti = number != NULL ? (int)PyLong_AsLong(number) : 0;
    Py_XDECREF(number);
    return lasti;
}

static PyMethodDef launch_method = {"launch", launch, METH_VARARGS, NULL};

static PyObject *connect(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned long long address;
    if (!PyArg_ParseTuple(args, "KOOOOOy", &address, &stream_type, &buffer_type, &placeholder_type, &args_type,
                          &slow_launch, &launch_method.ml_doc)) {
        return NULL;
    }
    Py_INCREF(args); /* for good: what it holds is borrowed from now on */
    launch_block = (acl_bind_launch_block_t)(uintptr_t)address;
    return PyCFunction_New(&launch_method, NULL);
}

static PyObject *disconnect(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    stream_type = NULL; /* nothing is one: all launches go the slow way */
    sync_disconnect();
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"disconnect", disconnect, METH_NOARGS, "from now on nothing is plain"},
    {"connect", connect, METH_VARARGS,
     "connect(address of acl_bind_launch_block, Stream, DeviceBuffer, Placeholder, KernelArgs, launch, help) -> launch in C"},
    {"connect_sync", sync_connect, METH_VARARGS,
     "connect_sync(addresses of acl_bind_sync and acl_bind_epoch, Stream, Stream.sync, help) -> the method in C"},
    {0},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "acl_bind._fast", .m_size = -1, .m_methods = functions};

static bool intern_names(void)
{
    data_name = PyUnicode_InternFromString("data");
    tobytes_name = PyUnicode_InternFromString("tobytes");
    slow_name = PyUnicode_InternFromString("_slow");
    failed_name = PyUnicode_InternFromString("_failed");
    launchers_name = PyUnicode_InternFromString("launchers");
    plain_name = PyUnicode_InternFromString("plain");
    return data_name && tobytes_name && slow_name && failed_name && launchers_name && plain_name;
}

PyMODINIT_FUNC PyInit__fast(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyObject *cell = PyType_FromSpec(&cell_spec);
    PyObject *ring = PyType_FromSpec(&ring_spec);
    PyObject *launcher = PyType_FromSpec(&launcher_spec);
    frame_lasti = (int (*)(PyFrameObject *))dlsym(RTLD_DEFAULT, "PyFrame_GetLasti");
    frame_lasti = frame_lasti != NULL ? frame_lasti : lasti_of;
    ring_base = (PyTypeObject *)ring;
    launcher_base = (PyTypeObject *)launcher;
    if (module == NULL || cell == NULL || ring == NULL || launcher == NULL || !intern_names() ||
        PyModule_AddObjectRef(module, "Cell", cell) != 0 || PyModule_AddObjectRef(module, "Ring", ring) != 0 ||
        PyModule_AddObjectRef(module, "Launcher", launcher) != 0) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
