/* Devices: which there are, and their memory. What a thread uses of them is a context (context.h). */
#ifndef MOCK_DEVICE_H
#define MOCK_DEVICE_H

#include "acl/acl_rt.h"
#include "arena.h"

#define DEVICES_AT_MOST 64

struct context;

struct device {
    int32_t user_id; /* the number the program knows it by */
    int32_t physical_id;
    struct arena arena;              /* stays reserved once opened, so that stale addresses stay untouchable */
    _Atomic uint32_t epoch;          /* how often it was opened; odd while it is open */
    size_t memory;                   /* bytes; 0: not chosen yet */
    _Atomic uint32_t stopped_streams; /* that a fault has stopped for good */
    uint32_t contexts;               /* it is open while there are any */
    uint32_t references;             /* aclrtSetDevice calls not yet taken back */
    struct context *_Atomic primary; /* NULL while there are no references */
    _Atomic uint64_t sync_address;   /* the inter-core sync block, 0 until somebody asks (args.c) */
    struct context *primary_slot;    /* always the same one, as in the real library */
    pthread_mutex_t change; /* held while the primary context starts or ends */
    pthread_mutex_t lock;   /* of contexts; never held while something is waited for */
};

uint32_t device_count(void);
/* NULL when the program may not use that number. */
struct device *device_by_id(int32_t user_id);
/* 107001, said and stored; `argument` is the number's name. */
aclError device_unknown(const char *argument, int64_t id);
/* How many the machine has, those included that the program may not use. */
uint32_t device_present(void);
/* Bytes of memory. */
uint64_t device_memory(struct device *device);
/* How much of it is in use, 0 to 100. */
int32_t device_memory_percent(struct device *device);
/* Says what numbers there are; for messages. */
void device_describe(struct text *text);
/* The open device whose memory the address belongs to, or NULL. */
struct device *device_of_address(const void *address);

/* Whether a device, open or not, has ever given out such addresses. */
bool device_reserves(const void *address);

static inline bool device_is_open(struct device *device)
{
    return atomic_load_explicit(&device->epoch, memory_order_acquire) & 1;
}

/* One more, one fewer context. enter: false when its memory cannot be reserved. */
bool device_enter(struct device *device);
void device_leave(struct device *device);

/* Nothing was ever allocated, and the environment is read again. No device may be open. */
void device_reset(void);

#endif
