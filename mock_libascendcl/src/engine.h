/* Who runs queued tasks, and when (ACL_MOCK_SCHEDULE).
 *
 *   deferred     whoever waits for a task runs what is before it; a background tick of 1 ms runs what nobody waits for
 *   inline       whoever queues a task runs it
 *   worker       a thread a stream
 *   random:SEED  as deferred, but streams take turns in an order drawn from the seed, at every call that queues or waits;
 *                the tick comes every 250 ms only
 */
#ifndef MOCK_ENGINE_H
#define MOCK_ENGINE_H

#include "stream.h"

#define WAIT_FOR_EVER (-1)

/* From now on the engine runs what is queued on the stream. False: no thread for it. */
bool engine_add(struct stream *stream);
/* Takes it out and stops running it: queued tasks are dropped. On return no thread is in it. Not inside a task. */
void engine_remove(struct stream *stream);
/* Drops what is queued. Not inside a task. */
void engine_drop(struct stream *stream);
/* Whether the calling thread is running a task: it must not wait for streams then. */
bool engine_inside(void);
/* The calling thread runs a callback that the stream (NULL: none) waits for. Returns what it was before. */
struct stream *engine_enter_callback(struct stream *stream);

/* From now on tasks that are queued do not run; or all run again. all: streams made later too. */
void engine_hold(struct stream *stream, bool on);
void engine_hold_all(bool on);

/* Queueing: with the stream's lock held from engine_lock to engine_push. NULL: no memory, the lock is released. */
struct task *engine_lock(struct stream *stream);
void engine_push(struct stream *stream);

enum wait_result {
    WAIT_DONE,
    WAIT_EXPIRED,
    WAIT_IMPOSSIBLE /* the caller is a kernel or callback that the stream itself waits for, or a forked process */
};

/* Until the stream has run its first `position` tasks, or for timeout_ms. */
enum wait_result engine_wait(struct stream *stream, uint64_t position, int64_t timeout_ms);
/* Gives tasks up to the position a chance to run, without waiting. */
void engine_poll(struct stream *stream, uint64_t position);

/* Reads the schedule again. Nothing may be queued. */
void engine_reset(void);

/* Number of the last task that the calling thread queued, UINT32_MAX before any. */
uint32_t engine_last_task(void);

/* Something changed that a sleeping waiter may be waiting for. */
void engine_notify(void);

#endif
