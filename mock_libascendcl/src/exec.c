#include "exec.h"

#include <string.h>

#include "aclmock/aclmock.h"
#include "argring.h"
#include "bind.h"
#include "exception.h"
#include "inject.h"
#include "option.h"
#include "trace.h"
#include "trap.h"
#include "watchdog.h"

/* One launch while it runs. */
struct execution {
    aclmock_ctx ctx; /* what the kernel sees */
    struct trap trap;
    const struct launch *launch;
    const struct implementation *implementation;
    struct stream *stream;
    const struct arena *arena; /* of the stream's device */
    uint64_t args; /* device address of ctx.args */
    uint64_t limit_us;   /* of the deadline */
    uint64_t deadline;   /* 0: none */
    struct watch *watch; /* of the deadline; NULL: the kernel cannot be interrupted */
    bool faulted;
    bool timed_out;
    struct text fault; /* what there is to say; nothing while not faulted */
    struct block *reached[8]; /* while checks are on */
    size_t reached_count;
};

/* ---- faults ------------------------------------------------------------------------------------------- */

static aclError timeout_code(const struct function *function)
{
    switch (function->type) {
    case ACL_KERNEL_TYPE_VECTOR: return ACL_ERROR_RT_VECTOR_CORE_TIMEOUT;
    case ACL_KERNEL_TYPE_MIX: return ACL_ERROR_RT_FFTS_PLUS_TIMEOUT;
    case ACL_KERNEL_TYPE_AICPU: return ACL_ERROR_RT_AICPU_TIMEOUT;
    default: return ACL_ERROR_RT_AICORE_TIMEOUT;
    }
}

static aclError fault_code(const struct function *function)
{
    switch (function->type) {
    case ACL_KERNEL_TYPE_VECTOR: return ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
    case ACL_KERNEL_TYPE_AICPU: return ACL_ERROR_RT_AICPU_EXCEPTION;
    default: return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
}

/* Starts the text of a fault. False: there is one already. */
COLD static bool fault_begin(struct execution *run)
{
    if (run->faulted) {
        return false;
    }
    run->faulted = true;
    run->fault = (struct text){0};
    text_add(&run->fault, "kernel %s, block %u of %u: ", run->launch->function->name, run->ctx.block_idx,
             run->ctx.block_num);
    return true;
}

COLD static void fault_signal(struct execution *run)
{
    static const struct {
        int signal;
        const char *meaning;
    } meanings[] = {
        {SIGSEGV, "bad pointer"}, {SIGBUS, "bad pointer"}, {SIGFPE, "division by zero"},
        {SIGILL, "illegal instruction"}, {SIGABRT, "abort"},
    };
    if (run->trap.signal == 0 || !fault_begin(run)) {
        return;
    }
    for (size_t i = 0; i < COUNT(meanings); ++i) {
        if (meanings[i].signal == run->trap.signal) {
            text_add(&run->fault, "%s (%s)", meanings[i].meaning, strsignal(run->trap.signal));
        }
    }
    if (run->trap.signal == SIGSEGV || run->trap.signal == SIGBUS) {
        text_add(&run->fault, " at %p; kernels reach global memory through aclmock_gm", run->trap.address);
    }
}

COLD static void fault_timeout(struct execution *run)
{
    if (fault_begin(run)) {
        run->timed_out = true;
        text_add(&run->fault, "it ran longer than its limit of %llu us", (unsigned long long)run->limit_us);
    }
}

/* ---- what a kernel calls ------------------------------------------------------------------------------ */

/* Remembers the block for check_reached. False: the access is a fault. */
static bool check_reach(struct execution *run, struct block *block, uint64_t address, size_t bytes)
{
    struct text who = {0};
    bool known = false;
    for (size_t i = 0; i < size_min(run->reached_count, COUNT(run->reached)); ++i) {
        known = known || run->reached[i] == block;
    }
    if (!known) {
        run->reached[run->reached_count++ % COUNT(run->reached)] = block;
    }
    text_add(&who, "kernel %s, block %u", run->launch->function->name, run->ctx.block_idx);
    aclError code = memcheck_reach(text_get(&who), block, address, bytes, true);
    text_free(&who);
    if (code != ACL_SUCCESS && fault_begin(run)) {
        text_add(&run->fault, "%s", aclmock_last_message());
    }
    return code == ACL_SUCCESS;
}

/* The kernel has run: has it written behind any of the last blocks that it reached? */
static void check_reached(const struct execution *run)
{
    for (size_t i = 0; i < size_min(run->reached_count, COUNT(run->reached)); ++i) {
        memcheck_after_kernel(run->launch->function->name, run->reached[i]);
    }
}

/* A live block of the program's that has all of the bytes. */
ALWAYS_INLINE struct block *find_block(const struct arena *arena, uint64_t address, size_t bytes)
{
    struct block *block = arena_find(arena, address);
    uint64_t offset = block != NULL ? address - block->address : 0;
    bool found = block != NULL && block_is(block, BLOCK_LIVE) && offset <= block->bytes && bytes <= block->bytes - offset;
    return LIKELY(found) ? block : NULL;
}

/* The bytes at a device address, when a live block of the program's has them all. */
static void *find_memory(struct execution *run, uint64_t address, size_t bytes)
{
    struct block *block = find_block(run->arena, address, bytes);
    if (LIKELY(block != NULL)) {
        return check_on() && !check_reach(run, block, address, bytes) ? NULL : arena_host(run->arena, address);
    }
    if (check_on()) {
        memcheck_gone(run->launch->function->name, (const void *)(uintptr_t)address, bytes);
    }
    struct text why = {0};
    void *elsewhere = memory_reach_from(run->stream->context->device, address, bytes, &why);
    if (elsewhere == NULL && fault_begin(run)) {
        text_add(&run->fault, "access to %zu bytes: %s", bytes, text_get(&why));
    }
    text_free(&why);
    return elsewhere;
}

/* What a kernel does in the mock must not be interrupted. */
static void door_close(struct execution *run)
{
    if (UNLIKELY(run->watch != NULL)) {
        watchdog_close(run->watch);
    }
}

static void door_open(struct execution *run)
{
    if (UNLIKELY(run->watch != NULL)) {
        watchdog_open(run->watch, &run->trap);
    }
}

static void *reach(aclmock_ctx *ctx, uint64_t address, size_t bytes)
{
    struct execution *run = CONTAINER(ctx, struct execution, ctx);
    uint64_t offset = address - run->args;
    if (offset < ctx->args_size && bytes <= ctx->args_size - offset) {
        return (void *)(uintptr_t)(ctx->args + offset); /* its own arguments: a placeholder's data */
    }
    if (LIKELY(!check_on() && find_block(run->arena, address, bytes) != NULL)) {
        return arena_host(run->arena, address); /* nothing was taken: the kernel may be interrupted meanwhile */
    }
    door_close(run);
    void *memory = find_memory(run, address, bytes);
    door_open(run);
    return memory;
}

static void note(aclmock_ctx *ctx, const char *text)
{
    struct execution *run = CONTAINER(ctx, struct execution, ctx);
    door_close(run);
    if (fault_begin(run)) {
        text_add(&run->fault, "%s", text != NULL ? text : "the kernel failed");
    }
    door_open(run);
}

static void leave(aclmock_ctx *ctx)
{
    struct execution *run = CONTAINER(ctx, struct execution, ctx);
    trap_leave(&run->trap);
}

static const struct aclmock_calls calls = {reach, note, leave};

/* ---- running ------------------------------------------------------------------------------------------ */

/* Between blocks: whether the time is up. */
static bool is_late(struct execution *run)
{
    bool late = now_ns() > run->deadline;
    if (late) {
        door_close(run); /* for good */
        fault_timeout(run);
    }
    return late;
}

static void call_blocks(struct execution *run)
{
    const struct implementation *implementation = run->implementation;
    uint32_t calls_left = implementation->flags & ACLMOCK_ONCE && run->launch->blocks > 1 ? 1 : run->launch->blocks;
    for (uint32_t block = 0; block < calls_left && !run->faulted; ++block) {
        run->ctx.block_idx = block;
        implementation->run(&run->ctx);
        if (UNLIKELY(run->deadline != 0) && is_late(run)) {
            return;
        }
    }
}

static void run_blocks(struct execution *run)
{
    if (UNLIKELY(run->implementation->flags & ACLMOCK_UNTRAPPED)) {
        call_blocks(run);
    } else if (TRAP_ENTER(&run->trap)) {
        if (UNLIKELY(run->watch != NULL)) {
            watchdog_enter(run->watch, &run->trap);
        }
        call_blocks(run);
        trap_end(&run->trap);
    } else if (run->watch != NULL && run->watch->bitten) {
        fault_timeout(run);
    } else {
        fault_signal(run);
    }
}

/* us; 0: none. The launch's own wins over the process's. */
static uint64_t time_limit(const struct launch *launch)
{
    return launch->timeout_us != 0 ? launch->timeout_us : option_execute_timeout() * UINT64_C(1000000);
}

/* Code that must not be left in the middle, such as a Python function, is found to be late when a block of it has
 * returned; other code is interrupted. */
COLD static void run_timed(struct execution *run, uint64_t limit_us)
{
    struct watch watch;
    run->limit_us = size_min(limit_us, UINT32_MAX);
    run->deadline = now_ns() + run->limit_us * 1000;
    if (run->implementation->flags & ACLMOCK_UNTRAPPED || !watchdog_arm(&watch, run->deadline)) {
        run_blocks(run);
        return;
    }
    run->watch = &watch;
    run_blocks(run);
    watchdog_disarm(&watch);
    run->watch = NULL;
}

/* A launch with device arguments names memory that nobody has looked at, and a size that only informs. */
COLD static void find_args(struct execution *run, uint64_t address, size_t size)
{
    const struct block *block = arena_find(run->arena, address);
    uint64_t offset = block != NULL ? address - block->address : 0;
    size_t left = block != NULL && offset < block->bytes ? block->bytes - offset : 0;
    run->ctx.args_size = size_min(size, left);
    run->ctx.args = find_memory(run, address, run->ctx.args_size != 0 ? run->ctx.args_size : size);
}

/* The arguments as the kernel reads them. */
static bool reach_args(struct execution *run)
{
    const struct launch *launch = run->launch;
    bool ours = launch->ring_end != 0 || launch->args_block != NULL || launch->args_size == 0;
    if (UNLIKELY(!ours)) {
        find_args(run, launch->args, launch->args_size);
        return !run->faulted;
    }
    size_t head = launch->grid ? sizeof(struct launch_grid) : 0;
    const struct launch_grid *grid = arena_host(run->arena, launch->args);
    run->ctx.dims = launch->grid ? grid->block_dim : NULL;
    run->args = launch->args + head;
    run->ctx.args = (const unsigned char *)grid + head;
    run->ctx.args_size = launch->args_size - head;
    return true;
}

/* Recorded, late, and made to fail with a code, as a test may have asked for. */
COLD static aclError watched(struct execution *run)
{
    const struct launch *launch = run->launch;
    if (trace_on()) {
        trace_kernel(launch->function->name, launch->blocks);
    }
    run->fault = (struct text){0};
    aclError code = call_watched(WATCH_INJECT) ? inject_kernel(launch->function->name, &run->fault) : ACL_SUCCESS;
    run->faulted = code != ACL_SUCCESS;
    return code;
}

/* With the kernel's binary kept from being unloaded. The code of its fault, if there is one. */
static aclError execute(struct execution *run)
{
    const struct function *function = run->launch->function;
    aclError code = call_watched(WATCH_INJECT | WATCH_TRACE) ? watched(run) : ACL_SUCCESS;
    if (UNLIKELY(code != ACL_SUCCESS)) {
        return code;
    }
    run->ctx = (aclmock_ctx){
        .calls = &calls,
        .block_num = run->launch->blocks,
        .args_head = (size_t)function->head_slots * 8,
        .params = function->params,
        .num_params = function->num_params,
    };
    run->implementation = bind_enter(run->launch->function);
    if (UNLIKELY(run->implementation == NULL)) {
        fault_begin(run);
        text_add(&run->fault, "its host implementation was unbound before the launch ran");
        return fault_code(function);
    }
    run->ctx.data = run->implementation->data;
    if (LIKELY(reach_args(run))) {
        const struct thread_call call = call_suspend();
        uint64_t limit_us = time_limit(run->launch);
        LIKELY(limit_us == 0) ? run_blocks(run) : run_timed(run, limit_us);
        call_resume(&call);
    }
    return LIKELY(!run->faulted) ? ACL_SUCCESS : run->timed_out ? timeout_code(function) : fault_code(function);
}

COLD static void report_fault(struct execution *run, aclError code, struct function *function)
{
    const struct launch *launch = run->launch;
    exception_raise(run->stream, code, run->fault.data,
                    (struct rtExceptionInfo){.thread_id = launch->thread, .function = function, .args = launch->args,
                                             .args_size = launch->args_size});
}

static void run_launch(struct task *task, struct stream *stream)
{
    const struct launch *launch = TASK_PAYLOAD(task, struct launch);
    struct execution run; /* not cleared: it is large, and all of it is set when it is needed */
    run.launch = launch;
    run.stream = stream;
    run.arena = &stream->context->device->arena;
    run.args = launch->args;
    run.faulted = run.timed_out = false;
    run.deadline = 0;
    run.watch = NULL;
    run.reached_count = 0;
    if (LIKELY(use_enter(launch->function))) {
        aclError code = execute(&run);
        check_reached(&run);
        if (UNLIKELY(code != ACL_SUCCESS)) {
            report_fault(&run, code, launch->function);
        }
    } else {
        run.fault = (struct text){0};
        text_add(&run.fault, "a kernel's binary was unloaded before the launch ran: synchronize first");
        report_fault(&run, ACL_ERROR_RT_AICORE_EXCEPTION, NULL);
    }
    argring_take(stream, launch->ring_end, launch->args_block);
}

static void drop_launch(struct task *task, struct stream *stream)
{
    const struct launch *launch = TASK_PAYLOAD(task, struct launch);
    argring_take(stream, launch->ring_end, launch->args_block);
}

const struct task_kind exec_launch = {.name = "launch", .run = run_launch, .drop = drop_launch, .end = use_leave};
