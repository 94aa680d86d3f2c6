/* A function of pyACL in C, for arguments that are ints in range: a third of what it costs in Python, and a built-in
 * function as the original's are. Whatever else it is given is left to `slow`, which is Python and has all the rules.
 * Limited API: one build serves all Pythons.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_AT_MOST 12

struct face {
    PyMethodDef method;
    uint64_t (*call)(const uint64_t *arguments);
    Py_ssize_t count; /* -1: arguments are ignored */
    char codes[ARGUMENTS_AT_MOST + 1];
    int is_signed; /* what `call` returns */
    PyObject *slow;    /* slow(args, keywords) */
    PyObject *waiting; /* NULL: `call` returns the result. Else it returns an output, or a mark: then waiting() has the result */
};

/* False, without an exception: not for here. */
static int convert(PyObject *object, char code, uint64_t *value)
{
    int overflow = 0;
    if (!PyLong_CheckExact(object)) {
        return 0;
    }
    long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    *value = (uint64_t)number;
    switch (code) {
    case 'k':
    case 'K':
        if (overflow > 0) {
            *value = PyLong_AsUnsignedLongLong(object);
            if (PyErr_Occurred()) {
                PyErr_Clear();
                return 0;
            }
            return 1;
        }
        return overflow == 0 && number >= 0;
    case 'i': return overflow == 0 && number >= INT32_MIN && number <= INT32_MAX;
    case 'I': return overflow == 0 && number >= 0 && number <= UINT32_MAX;
    case 'H': return overflow == 0 && number >= 0 && number <= UINT16_MAX;
    default: return overflow == 0; /* l, L */
    }
}

static PyObject *call_slow(const struct face *face, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *positional = PyTuple_New(count);
    PyObject *keywords = PyDict_New();
    PyObject *result = NULL;
    int failed = positional == NULL || keywords == NULL;
    for (Py_ssize_t i = 0; !failed && i < count; ++i) {
        Py_INCREF(args[i]);
        failed = PyTuple_SetItem(positional, i, args[i]) != 0;
    }
    for (Py_ssize_t i = 0; !failed && names != NULL && i < PyTuple_Size(names); ++i) {
        failed = PyDict_SetItem(keywords, PyTuple_GetItem(names, i), args[count + i]) != 0;
    }
    if (!failed) {
        result = PyObject_CallFunctionObjArgs(face->slow, positional, keywords, NULL);
    }
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    return result;
}

static PyObject *as_int(const struct face *face, uint64_t value)
{
    return face->is_signed ? PyLong_FromLongLong((int64_t)value) : PyLong_FromUnsignedLongLong(value);
}

static PyObject *with_code_0(PyObject *output)
{
    PyObject *code = output != NULL ? PyLong_FromLong(0) : NULL;
    PyObject *result = code != NULL ? PyTuple_New(2) : NULL;
    if (result == NULL || PyTuple_SetItem(result, 0, output) != 0 || PyTuple_SetItem(result, 1, code) != 0) {
        Py_XDECREF(result);
        return NULL; /* out of memory: what little is left behind does not matter */
    }
    return result;
}

static PyObject *call_face(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    const struct face *face = PyCapsule_GetPointer(self, NULL);
    uint64_t values[ARGUMENTS_AT_MOST];
    uint64_t output;
    int plain = names == NULL && (face->count < 0 || count == face->count);
    for (Py_ssize_t i = 0; plain && i < face->count; ++i) {
        plain = convert(args[i], face->codes[i], &values[i]);
    }
    if (!plain) {
        return call_slow(face, args, count, names);
    }
    Py_BEGIN_ALLOW_THREADS
    output = face->call(values);
    Py_END_ALLOW_THREADS
    if (face->waiting == NULL) {
        return as_int(face, output);
    }
    if (output == (face->is_signed ? (uint64_t)INT64_MIN : UINT64_MAX)) {
        return PyObject_CallFunctionObjArgs(face->waiting, NULL);
    }
    return with_code_0(as_int(face, output));
}

/* make(address, name, doc, codes, is_signed, slow, waiting): the function. It lives as long as the process. */
static PyObject *make(PyObject *module, PyObject *arguments)
{
    unsigned long long address;
    const char *name, *doc, *codes;
    int is_signed;
    PyObject *slow, *waiting;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "KssspOO", &address, &name, &doc, &codes, &is_signed, &slow, &waiting)) {
        return NULL;
    }
    if (strlen(codes) > ARGUMENTS_AT_MOST) {
        return PyErr_Format(PyExc_ValueError, "more than %d arguments", ARGUMENTS_AT_MOST);
    }
    struct face *face = calloc(1, sizeof(*face));
    PyObject *capsule = face != NULL ? PyCapsule_New(face, NULL, NULL) : PyErr_NoMemory();
    if (capsule == NULL) {
        free(face);
        return NULL;
    }
    union {
        PyObject *(*fast)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
        PyCFunction plain;
    } function = {call_face};
    face->method = (PyMethodDef){strdup(name), function.plain, METH_FASTCALL | METH_KEYWORDS, strdup(doc)};
    face->call = (uint64_t(*)(const uint64_t *))(uintptr_t)address;
    face->count = strcmp(codes, "-") == 0 ? -1 : (Py_ssize_t)strlen(codes);
    strcpy(face->codes, codes);
    face->is_signed = is_signed;
    Py_INCREF(slow);
    face->slow = slow;
    Py_INCREF(waiting);
    face->waiting = waiting == Py_None ? NULL : waiting;
    PyObject *made = PyCFunction_NewEx(&face->method, capsule, NULL);
    Py_DECREF(capsule);
    return made;
}

static PyMethodDef functions[] = {{"make", make, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_pyacl", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__pyacl(void)
{
    return PyModule_Create(&definition);
}
