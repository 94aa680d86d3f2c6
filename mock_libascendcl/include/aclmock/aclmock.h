/* The mock's own face: what only a mock can do. A real libascendcl has none of these functions.
 *
 * Environment: ACL_MOCK_DEVICE_COUNT (2), ACL_MOCK_SOC (Ascend910B1), ACL_MOCK_MEMORY (bytes a device, e.g. 512M),
 * ACL_MOCK_SCHEDULE (deferred, inline, worker, random:SEED), ACL_MOCK_CHECK (off, warn, error),
 * ACL_MOCK_KERNEL_PATH (files and folders of host kernels for binaries that come without), ACL_MOCK_UNBOUND (noop:
 * launches of kernels that nothing runs succeed).
 */
#ifndef ACLMOCK_H
#define ACLMOCK_H

#include <acl/acl_rt.h>

#include "host_kernel.h"

#define ACLMOCK_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* Only the mock has it; returns ACLMOCK_VERSION. */
ACL_VISIBLE int aclmock_version(void);

/* The version that aclrtGetVersion tells. */
ACL_VISIBLE void aclmock_set_version(int32_t major, int32_t minor, int32_t patch);

/* Everything as it was when the library was loaded, and the environment is read again: contexts, streams, events,
 * memory, binaries, aclInit, the calling thread's last error and argument list, rules, trace and diagnoses. Queued work
 * is dropped. No other thread may be inside a call, or go on with a context that it had. Does nothing in a process
 * that was forked from one that used a device: there every function fails. */
ACL_VISIBLE void aclmock_reset(void);

/* ---- error -------------------------------------------------------------------------------------------- */

/* The text of this thread's last failure, even where the real library is silent; "" when there was none. */
ACL_VISIBLE const char *aclmock_last_message(void);
/* Whether aclGetRecentErrMsg has something that the real library would have too. Takes nothing. */
ACL_VISIBLE int aclmock_message_pending(void);

/* ---- counting ----------------------------------------------------------------------------------------- */

typedef enum aclmock_kind {
    ACLMOCK_CONTEXTS = 0, /* explicit ones, and a primary one for each device that was ever set */
    ACLMOCK_STREAMS = 1,
    ACLMOCK_EVENTS = 2,
    ACLMOCK_BINARIES = 3,
    ACLMOCK_FUNCTIONS = 4,
    ACLMOCK_ARGS = 5, /* threads that have an argument list */
    ACLMOCK_BLOCKS = 6, /* device and page-locked memory blocks of the program's */
} aclmock_kind;

/* How many of a kind are alive. */
ACL_VISIBLE size_t aclmock_live(aclmock_kind kind);

/* ---- checks ------------------------------------------------------------------------------------------- */

typedef enum aclmock_check {
    ACLMOCK_CHECK_OFF = 0,
    ACLMOCK_CHECK_WARN = 1,  /* a mistake is kept, and one line about it goes to stderr */
    ACLMOCK_CHECK_ERROR = 2, /* a mistake is kept, and the call fails */
} aclmock_check;

/* A mistake that the real library takes without a word. */
typedef struct aclmock_diagnosis {
    char kind[32];     /* such as "double-free" */
    char function[64]; /* which call found it */
    char site[256];    /* where that call is in the program, "" when unknown */
    char text[1024];   /* what is wrong, where the object was made, what to do */
} aclmock_diagnosis;

/* As the environment's ACL_MOCK_CHECK does. What was made while checks were off stays unchecked. */
ACL_VISIBLE void aclmock_set_check(aclmock_check mode);
ACL_VISIBLE aclmock_check aclmock_get_check(void);
/* How many mistakes were found since the start or the last clearing. */
ACL_VISIBLE uint64_t aclmock_diagnoses(void);
/* The one with this number, from 0. 0: there is none, or it is not among the last 256. */
ACL_VISIBLE int aclmock_get_diagnosis(uint64_t index, ACL_OUT aclmock_diagnosis *diagnosis);
ACL_VISIBLE void aclmock_clear_diagnoses(void);

/* A number for now, and one diagnosis ("leak") for each context, stream, event, binary and memory block that was made
 * since and is still there (0: since the start). Returns how many there are; the first 64 are told. What was made while
 * checks were off is not known. aclFinalize does the same. No other thread may make or end anything meanwhile. */
ACL_VISIBLE uint64_t aclmock_mark(void);
ACL_VISIBLE uint64_t aclmock_report_leaks(uint64_t since);

/* Writes where the program is, as "file:line", into `room` bytes. Called inside ABI calls while checks are on. */
typedef void (*aclmock_site_callback)(char *site, size_t room);
ACL_VISIBLE void aclmock_set_site_callback(aclmock_site_callback callback);

/* ---- failing on purpose ------------------------------------------------------------------------------- */

#define ACLMOCK_ALWAYS 0xFFFFFFFFFFFFFFFF

/* The function's n-th call from now (1: the next) and those after it, `times` in all (ACLMOCK_ALWAYS: without end), do
 * nothing and fail with the code. aclGetRecentErrMsg gets the text, or a standard one for NULL. A function that returns
 * no code returns what it returns on failure. Rules add up; each counts by itself. Returns the rule's number; 0: no such
 * function, a code of 0, or 256 rules already. */
ACL_VISIBLE int aclmock_fail_call(const char *function, uint64_t nth, uint64_t times, aclError code, const char *text);
/* The same for launches of a kernel, counted as they run: they write nothing, and the stream's next synchronize returns
 * the code. */
ACL_VISIBLE int aclmock_fail_kernel(const char *kernel, uint64_t nth, uint64_t times, aclError code, const char *text);
/* These calls, or launches, take so much longer. */
ACL_VISIBLE int aclmock_delay_call(const char *function, uint64_t nth, uint64_t times, uint64_t microseconds);
ACL_VISIBLE int aclmock_delay_kernel(const char *kernel, uint64_t nth, uint64_t times, uint64_t microseconds);
ACL_VISIBLE void aclmock_take_back(int rule);
/* How many of these rules are not used up. */
ACL_VISIBLE uint64_t aclmock_faults_left(void);
ACL_VISIBLE void aclmock_clear_faults(void);

/* ---- trace -------------------------------------------------------------------------------------------- */

/* A call of the ABI, or a task of a stream. Pointers are to constants of the library. */
typedef struct aclmock_record {
    int32_t is_task;
    const char *name;           /* the function, or the kind of task: "launch", "memcpy", ... */
    const char *argument_names; /* a call's, separated by commas; NULL for a task */
    const char *argument_kinds; /* a letter each: i signed, u unsigned, s string, p other pointer */
    uint64_t arguments[16];
    char text[128];    /* a call's first string, or a launch's kernel */
    uint64_t thread;   /* which one called, or ran the task (gettid) */
    uint64_t start_ns; /* monotonic clock */
    uint64_t end_ns;   /* 0 while it goes on */
    int32_t result;    /* a call's code, 0 also for what returns no code */
    int32_t device;    /* a task's */
    int32_t stream;    /* likewise */
    uint32_t num_blocks; /* a launch's */
    uint64_t task;     /* a number no other task has: a task's own, or that of the one that a call queued; 0: none */
    uint64_t after;    /* a wait's: the task it waited for; 0: none */
    uint64_t outer;    /* in which call or task it happened: an index + 1, 0: none */
} aclmock_record;

/* Records from now on; the last `keep` are kept, 1 to 2^24. Forgets older ones. 0: no memory for them, or a bad number. */
ACL_VISIBLE int aclmock_trace_start(uint64_t keep);
/* Stops; what was recorded stays until the next start. */
ACL_VISIBLE void aclmock_trace_stop(void);
/* How many were made since the start. */
ACL_VISIBLE uint64_t aclmock_trace_count(void);
/* The one with this index, from 0 in the order of their starts. 0: there is none, or it is not kept any more. */
ACL_VISIBLE int aclmock_get_record(uint64_t index, ACL_OUT aclmock_record *record);

/* ---- memory ------------------------------------------------------------------------------------------- */

/* Where the mock keeps the byte at a device address, for a debugger or a test; NULL when nothing is there. */
ACL_VISIBLE void *aclmock_host_address(const void *devPtr);
/* How many bytes of memory the device has (as ACL_MOCK_MEMORY does for all), until a reset. 0: no such device. */
ACL_VISIBLE int aclmock_set_memory(int32_t deviceId, uint64_t bytes);
/* How many host allocations of the mock's own are not freed. */
ACL_VISIBLE size_t aclmock_host_allocs(void);
/* The host allocation of the mock that comes `after` others fails, once; -1: none. */
ACL_VISIBLE void aclmock_fail_host_alloc(int64_t after);
/* How many more succeed before that; -1: none will fail, or it has. */
ACL_VISIBLE int64_t aclmock_host_allocs_left(void);

/* ---- chip --------------------------------------------------------------------------------------------- */

/* Plays another chip from now on; NULL: the one of ACL_MOCK_SOC. What is loaded or open already stays as it is.
 * 0: the name is unknown, nothing changes. */
ACL_VISIBLE int aclmock_set_soc(const char *name);

/* ---- kernels ------------------------------------------------------------------------------------------ */

/* A binary without a file: as if loaded, with these kernels. The names are copied; tables and data must outlive it.
 * A `run` of NULL makes a kernel that does nothing. */
ACL_VISIBLE aclError aclmock_make_binary(const aclmock_kernel *kernels, size_t count, ACL_OUT aclrtBinHandle *binHandle);

/* The names of a binary's kernels, one a line. Returns how many bytes they take, the 0 at the end counted; with less room
 * they are not whole: call again. 0: no such binary. */
ACL_VISIBLE size_t aclmock_kernel_names(const aclrtBinHandle binHandle, char *names, size_t room);

enum aclmock_bind_flags {
    ACLMOCK_ONCE = 1,      /* called once a launch, with block 0, not once a block */
    ACLMOCK_UNTRAPPED = 2, /* signals in it are not caught, and it must not leave by aclmock_fail or aclmock_gm */
};

/* From now on `run` is what runs the kernels of that name, or of a pattern such as "add_*". binPath and binHandle, where
 * not NULL, say of which binary. The closest rule wins: one for a handle, then for a path, then the kernel's own
 * implementation, then one for any binary, then a library of host kernels on ACL_MOCK_KERNEL_PATH (files and folders,
 * separated by colons); a plain name goes before a pattern, a newer rule before an older one. */
ACL_VISIBLE aclError aclmock_bind(const char *kernel, const char *binPath, aclrtBinHandle binHandle, void (*run)(aclmock_ctx *ctx), void *data, uint32_t flags, ACL_OUT uint64_t *id);
/* Ends that. No other thread is inside `run` when it returns. */
ACL_VISIBLE aclError aclmock_unbind(uint64_t id);

/* What decides how a kernel's arguments are laid out and which launches take it, apart from its type. */
typedef struct aclmock_traits {
    uint32_t system_slots; /* hidden 8-byte slots, 0 to 255, that of overflow counted */
    uint32_t overflow;     /* 0 or 1: the overflow address follows the parameters, if there is a system slot */
    uint32_t ffts;         /* 0 or 1: the inter-core sync address is in the first slot, on A2 and A3 */
    uint32_t simt;         /* 0 or 1: the SIMT launches take it */
    uint32_t max_params;   /* what aclrtKernelArgsInitByUserMem has room for, 0 to 65535 */
    uint32_t has_params;   /* 0 or 1: it has a parameter table, be it an empty one */
    uint32_t params_size;  /* bytes that the table's parameters take together */
    uint32_t args_size;    /* bytes of arguments, as the compiler noted them for ACL_MOCK_CHECK; 0: it did not */
} aclmock_traits;

/* For a function of any binary. */
ACL_VISIBLE aclError aclmock_get_traits(const aclrtFuncHandle funcHandle, ACL_OUT aclmock_traits *traits);
ACL_VISIBLE aclError aclmock_set_traits(aclrtFuncHandle funcHandle, const aclmock_traits *traits);

/* ---- arguments ---------------------------------------------------------------------------------------- */

/* What the hidden slots hold in the current context; 0 without one. */
ACL_VISIBLE uint64_t aclmock_overflow_address(void);
ACL_VISIBLE uint64_t aclmock_sync_address(void);
/* Values for the current context's slots in their place, to compare bytes with a recording. */
ACL_VISIBLE aclError aclmock_set_hidden(uint64_t overflow, uint64_t sync);

/* An argument list as it stands. */
typedef struct aclmock_args {
    const void *buffer;
    size_t buffer_size;
    size_t head_size; /* bytes of the hidden slots in front */
    size_t args_size; /* bytes laid out so far */
    uint32_t num_params;
    uint32_t num_placeholders;
    uint32_t max_params;
    uint32_t got_buffer; /* a placeholder's buffer was handed out */
    uint32_t overflow_done;
    uint32_t finalized;
    uint32_t updating;
} aclmock_args;

typedef struct aclmock_arg {
    uint32_t placeholder;
    size_t offset;
    size_t size;
    size_t data_offset; /* of a placeholder's data, 0: none was asked for */
} aclmock_arg;

ACL_VISIBLE aclError aclmock_get_args(aclrtArgsHandle argsHandle, ACL_OUT aclmock_args *args);
ACL_VISIBLE aclError aclmock_get_arg(aclrtArgsHandle argsHandle, uint32_t index, ACL_OUT aclmock_arg *arg);

/* ---- schedule ----------------------------------------------------------------------------------------- */

/* Tasks queued on the stream from now on do not run until it is released (on == 0): so that a test can look at
 * pending work. NULL: all streams, those made later too. */
ACL_VISIBLE void aclmock_hold(aclrtStream stream, int on);

/* ---- launches ----------------------------------------------------------------------------------------- */

typedef struct aclmock_launch {
    char kernel[256];
    uint32_t num_blocks; /* as the device gets it: 16 bits */
    int32_t stream_id;
    uint64_t args; /* device address of the argument block */
    size_t args_size;
} aclmock_launch;

/* Keeps the last 64 launches from now on, or stops; forgets what was kept. */
ACL_VISIBLE void aclmock_record_launches(int on);
/* How many were recorded since. */
ACL_VISIBLE uint64_t aclmock_recorded_launches(void);
/* The one `back` launches ago (0: the last) and its argument bytes as the device sees them. 0: there is none. */
ACL_VISIBLE int aclmock_get_launch(uint32_t back, ACL_OUT aclmock_launch *launch, void *bytes, size_t room);

#ifdef __cplusplus
}
#endif

#endif
