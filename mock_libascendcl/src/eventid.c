#include "eventid.h"

#define IDS 65536u
#define WORDS (IDS / 64)

static uint64_t taken[DEVICES_AT_MOST][WORDS];
static uint32_t used[DEVICES_AT_MOST]; /* how many are taken */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int32_t eventid_take(const struct device *device)
{
    uint64_t *words = taken[device->user_id];
    int32_t id = -1;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < WORDS && id < 0; ++i) {
        if (words[i] != UINT64_MAX) {
            uint32_t bit = (uint32_t)__builtin_ctzll(~words[i]);
            words[i] |= UINT64_C(1) << bit;
            id = (int32_t)(i * 64 + bit);
            ++used[device->user_id];
        }
    }
    pthread_mutex_unlock(&lock);
    return id;
}

void eventid_give(const struct device *device, int32_t id)
{
    if (id < 0) {
        return;
    }
    pthread_mutex_lock(&lock);
    taken[device->user_id][id / 64] &= ~(UINT64_C(1) << (id % 64));
    --used[device->user_id];
    pthread_mutex_unlock(&lock);
}

uint32_t eventid_left(const struct device *device)
{
    pthread_mutex_lock(&lock);
    uint32_t free = IDS - used[device->user_id];
    pthread_mutex_unlock(&lock);
    return free;
}
