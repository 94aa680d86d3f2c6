/* A peer: an extension whose functions take and return integers, one C call each, the way pyACL wraps them. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>

#include <acl/acl_rt.h>

#define CALLS(X)                                                                                      \
    X(aclrtKernelArgsInit) X(aclrtKernelArgsAppend) X(aclrtKernelArgsAppendPlaceHolder)               \
    X(aclrtKernelArgsGetPlaceHolderBuffer) X(aclrtKernelArgsFinalize) X(aclrtLaunchKernelWithConfig)  \
    X(aclrtSynchronizeStream)
#define MEMBER(name) __typeof__(name) *name;
#define POINTER(number) ((void *)(uintptr_t)(number))

typedef unsigned long long number;

static struct {
    CALLS(MEMBER)
} acl;

static PyObject *load(PyObject *module, PyObject *args)
{
    (void)module;
    const char *path;
    if (!PyArg_ParseTuple(args, "s", &path)) {
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
#define FIND(name)                                                                             \
    if (library == NULL || (*(void **)&acl.name = dlsym(library, #name)) == NULL) {            \
        return PyErr_Format(PyExc_OSError, "%s has no " #name, path);                          \
    }
    CALLS(FIND)
    Py_RETURN_NONE;
}

static PyObject *kernel_args_init(PyObject *module, PyObject *args)
{
    (void)module;
    number function;
    aclrtArgsHandle handle = NULL;
    if (!PyArg_ParseTuple(args, "K", &function)) {
        return NULL;
    }
    int code = acl.aclrtKernelArgsInit(POINTER(function), &handle);
    return Py_BuildValue("Ki", (number)(uintptr_t)handle, code);
}

static PyObject *kernel_args_append(PyObject *module, PyObject *args)
{
    (void)module;
    number handle, data;
    Py_ssize_t size;
    aclrtParamHandle param = NULL;
    if (!PyArg_ParseTuple(args, "KKn", &handle, &data, &size)) {
        return NULL;
    }
    int code = acl.aclrtKernelArgsAppend(POINTER(handle), POINTER(data), (size_t)size, &param);
    return Py_BuildValue("Ki", (number)(uintptr_t)param, code);
}

static PyObject *kernel_args_append_place_holder(PyObject *module, PyObject *args)
{
    (void)module;
    number handle;
    aclrtParamHandle param = NULL;
    if (!PyArg_ParseTuple(args, "K", &handle)) {
        return NULL;
    }
    int code = acl.aclrtKernelArgsAppendPlaceHolder(POINTER(handle), &param);
    return Py_BuildValue("Ki", (number)(uintptr_t)param, code);
}

static PyObject *kernel_args_get_place_holder_buffer(PyObject *module, PyObject *args)
{
    (void)module;
    number handle, param;
    Py_ssize_t size;
    void *buffer = NULL;
    if (!PyArg_ParseTuple(args, "KKn", &handle, &param, &size)) {
        return NULL;
    }
    int code = acl.aclrtKernelArgsGetPlaceHolderBuffer(POINTER(handle), POINTER(param), (size_t)size, &buffer);
    return Py_BuildValue("Ki", (number)(uintptr_t)buffer, code);
}

static PyObject *copy(PyObject *module, PyObject *args)
{
    (void)module;
    number target, source;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "KKn", &target, &source, &size)) {
        return NULL;
    }
    memcpy(POINTER(target), POINTER(source), (size_t)size);
    return PyLong_FromLong(0);
}

static PyObject *kernel_args_finalize(PyObject *module, PyObject *args)
{
    (void)module;
    number handle;
    if (!PyArg_ParseTuple(args, "K", &handle)) {
        return NULL;
    }
    return PyLong_FromLong(acl.aclrtKernelArgsFinalize(POINTER(handle)));
}

static PyObject *launch_kernel_with_config(PyObject *module, PyObject *args)
{
    (void)module;
    number function, stream, config, handle;
    unsigned blocks;
    if (!PyArg_ParseTuple(args, "KIKKK", &function, &blocks, &stream, &config, &handle)) {
        return NULL;
    }
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = acl.aclrtLaunchKernelWithConfig(POINTER(function), blocks, POINTER(stream), POINTER(config), POINTER(handle), NULL);
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(code);
}

static PyMethodDef functions[] = {
    {"load", load, METH_VARARGS, NULL},
    {"kernel_args_init", kernel_args_init, METH_VARARGS, NULL},
    {"kernel_args_append", kernel_args_append, METH_VARARGS, NULL},
    {"kernel_args_append_place_holder", kernel_args_append_place_holder, METH_VARARGS, NULL},
    {"kernel_args_get_place_holder_buffer", kernel_args_get_place_holder_buffer, METH_VARARGS, NULL},
    {"copy", copy, METH_VARARGS, NULL},
    {"kernel_args_finalize", kernel_args_finalize, METH_VARARGS, NULL},
    {"launch_kernel_with_config", launch_kernel_with_config, METH_VARARGS, NULL},
    {0},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "tencalls", .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit_tencalls(void)
{
    return PyModule_Create(&definition);
}
