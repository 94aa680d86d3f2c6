/* ACL_MOCK_SCHEDULE=random:SEED: which stream runs next, drawn from the seed. */
#include "engine_inner.h"

static uint64_t random_below(uint64_t bound)
{
    engine.random ^= engine.random << 13;
    engine.random ^= engine.random >> 7;
    engine.random ^= engine.random << 17;
    return engine.random % bound;
}

/* With the engine's lock: a stream with work, drawn among all, with its runner taken. NULL: none can run. */
static struct stream *draw_stream(void)
{
    struct stream *drawn = NULL;
    uint64_t seen = 0;
    for (struct stream *stream = engine.streams; stream != NULL; stream = stream->next) {
        if (engine_has_work(stream) && random_below(++seen) == 0) {
            drawn = stream;
        }
    }
    return drawn != NULL && runner_take(drawn) ? drawn : NULL;
}

bool random_step(void)
{
    struct need need;
    pthread_mutex_lock(&engine.lock);
    struct stream *stream = draw_stream();
    pthread_mutex_unlock(&engine.lock);
    if (stream == NULL) {
        return false;
    }
    bool ran = run_tasks(stream, UINT64_MAX, 1, &need) == PROGRESS_SOME;
    runner_give(stream, ran);
    return ran;
}

/* A few steps, or none: so that a task may run long before anybody waits for it. */
void random_steps(void)
{
    if (engine_inside()) {
        return;
    }
    pthread_mutex_lock(&engine.lock);
    uint64_t steps = random_below(4) == 0 ? 1 + random_below(8) : 0;
    pthread_mutex_unlock(&engine.lock);
    while (steps-- > 0) {
        random_step();
    }
}
