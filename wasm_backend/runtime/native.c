/* Calls of functions of numbers, as `compiled(x, y)`, without a frame of Python: a tenth of the time.
 *
 * `Call(slow, enter)` is called as `slow` is, and gives what it gives. Where there is one number for each parameter, in
 * the thread that called first, it writes them to where a raw call has its arguments, and makes that call. All else,
 * such as arguments by name, NumPy's numbers and other threads, it hands on to `slow`. `enter()` gives what a raw call
 * needs, as addresses (see `callables.py`), or None if there is none, which stays so.
 *
 * Everything works without it: see `native.py`.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef void *(*raw_call)(void *context, void *func, double *raw, size_t size, void **trap);

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *slow, *enter; /* `enter` until it was asked */
    PyObject *fail, *keep;  /* the exception of a failed call; what the addresses point into */
    unsigned long thread;   /* the only one that uses them */
    raw_call call;          /* NULL as long as every call is slow */
    void *context, *func, **trap;
    double *raw; /* 16 bytes for each number; the result replaces the first argument */
    size_t size;
    Py_ssize_t count;
} Call;

/* Ask for what a raw call needs. False with an exception set. */
static int bind(Call *self)
{
    PyObject *enter = self->enter;
    self->enter = NULL;
    PyObject *found = PyObject_CallNoArgs(enter);
    Py_DECREF(enter);
    if (found == NULL)
        return 0;
    unsigned long long call, context, func, raw, size, trap;
    int known = found == Py_None || PyArg_ParseTuple(found, "KKKKKKnOO", &call, &context, &func, &raw, &size, &trap,
                                                     &self->count, &self->fail, &self->keep);
    if (known && found != Py_None) {
        Py_INCREF(self->fail);
        Py_INCREF(self->keep);
        self->context = (void *)(uintptr_t)context;
        self->func = (void *)(uintptr_t)func;
        self->raw = (double *)(uintptr_t)raw;
        self->trap = (void **)(uintptr_t)trap;
        self->size = (size_t)size;
        self->thread = PyThread_get_thread_ident();
        self->call = (raw_call)(uintptr_t)call;
    }
    Py_DECREF(found);
    return known;
}

static PyObject *failed(Call *self, void *error)
{
    PyObject *at = error == NULL ? Py_NewRef(Py_None) : PyLong_FromVoidPtr(error);
    PyObject *exception = at == NULL ? NULL : PyObject_CallOneArg(self->fail, at);
    Py_XDECREF(at);
    if (exception != NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
    }
    return NULL;
}

/* Write a float, or an int that is one exactly. False for anything else. */
static int put(PyObject *x, double *to)
{
    if (PyFloat_CheckExact(x)) {
        *to = PyFloat_AS_DOUBLE(x);
        return 1;
    }
    if (!PyLong_CheckExact(x))
        return 0;
    int overflow;
    long long n = PyLong_AsLongLongAndOverflow(x, &overflow);
    *to = (double)n;
    return !overflow && -(1LL << 53) <= n && n <= 1LL << 53;
}

static PyObject *called(PyObject *object, PyObject *const *args, size_t flags, PyObject *names)
{
    Call *self = (Call *)object;
    if (self->enter != NULL && !bind(self))
        return NULL;
    if (self->call == NULL || names != NULL || PyVectorcall_NARGS(flags) != self->count ||
        self->thread != PyThread_get_thread_ident())
        return PyObject_Vectorcall(self->slow, args, flags, names);
    for (Py_ssize_t k = 0; k < self->count; k++)
        if (!put(args[k], self->raw + 2 * k))
            return PyObject_Vectorcall(self->slow, args, flags, names);
    void *error;
    Py_BEGIN_ALLOW_THREADS
    error = self->call(self->context, self->func, self->raw, self->size, self->trap);
    Py_END_ALLOW_THREADS
    return error == NULL && *self->trap == NULL ? PyFloat_FromDouble(*self->raw) : failed(self, error);
}

static PyObject *new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *slow, *enter;
    if (!PyArg_ParseTuple(args, "OO", &slow, &enter))
        return NULL;
    Call *self = (Call *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->vectorcall = called;
        self->slow = Py_NewRef(slow);
        self->enter = Py_NewRef(enter);
    }
    return (PyObject *)self;
}

static void dealloc(PyObject *object)
{
    Call *self = (Call *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->slow);
    Py_XDECREF(self->enter);
    Py_XDECREF(self->fail);
    Py_XDECREF(self->keep);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Call, vectorcall), READONLY}, {NULL}};
static PyType_Slot slots[] = {
    {Py_tp_new, new}, {Py_tp_dealloc, dealloc}, {Py_tp_call, PyVectorcall_Call}, {Py_tp_members, members}, {0, NULL}};
static PyType_Spec spec = {"wasm_backend.runtime._native.Call", sizeof(Call), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, NULL};

PyMODINIT_FUNC PyInit__native(void)
{
    PyObject *made = PyModule_Create(&module), *type = PyType_FromSpec(&spec);
    if (made == NULL || type == NULL || PyModule_AddObject(made, "Call", type) < 0)
        return NULL;
    return made;
}
