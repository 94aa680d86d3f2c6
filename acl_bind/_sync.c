/* stream.sync() in C, for streams of which the one in Python has found that there is nothing to ask. */
#include "_fast.h"
#include "_route.h"

static acl_bind_sync_t wait_for;
static acl_bind_epoch_t epoch_now;
static PyTypeObject *plain_stream; /* NULL: none is plain */
static PyObject *slow_sync;

static bool is_plain(const Cell *cell, PyObject *args, PyObject *kwargs)
{
    return kwargs == NULL && PyTuple_Size(args) == 0 && Py_TYPE((PyObject *)cell) == plain_stream && cell->open &&
           cell->context != 0 && cell->settled == epoch_now() + 1 && is_ring(cell->ring);
}

static PyObject *call_slow(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *own = PyTuple_Pack(1, self);
    PyObject *all = own != NULL ? PySequence_Concat(own, args) : NULL;
    PyObject *result = all != NULL ? PyObject_Call(slow_sync, all, kwargs) : NULL;
    Py_XDECREF(own);
    Py_XDECREF(all);
    return result;
}

/* sync(self, timeout=None) */
static PyObject *stream_sync(PyObject *self, PyObject *args, PyObject *kwargs)
{
    Cell *cell = (Cell *)self;
    if (!is_plain(cell, args, kwargs)) {
        return call_slow(self, args, kwargs);
    }
    PyObject *ring = Py_NewRef(cell->ring);
    uint64_t position = ((Ring *)ring)->position; /* what other threads queue meanwhile may not have been waited for */
    uint64_t context = cell->context, stream = cell->handle;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = wait_for((uintptr_t)context, (uintptr_t)stream, -1);
    Py_END_ALLOW_THREADS
    if (code == 0) {
        ring_let_go((Ring *)ring, position);
    }
    Py_DECREF(ring);
    return code == 0 ? Py_NewRef(Py_None)
                     : PyObject_CallMethod(self, "_sync_failed", "iK", code, (unsigned long long)position);
}

static PyMethodDef sync_method = {"sync", (PyCFunction)(void (*)(void))stream_sync, METH_VARARGS | METH_KEYWORDS, NULL};

PyObject *sync_connect(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned long long sync, epoch;
    if (!PyArg_ParseTuple(args, "KKO!Oy", &sync, &epoch, &PyType_Type, &plain_stream, &slow_sync, &sync_method.ml_doc)) {
        return NULL;
    }
    Py_INCREF(args); /* for good: what it holds is borrowed from now on */
    wait_for = (acl_bind_sync_t)(uintptr_t)sync;
    epoch_now = (acl_bind_epoch_t)(uintptr_t)epoch;
    return PyDescr_NewMethod(plain_stream, &sync_method);
}

void sync_disconnect(void)
{
    plain_stream = NULL;
}
