/* Events: marks in streams that others can wait for. What a handle names, and the record it stands for. */
#ifndef MOCK_EVENT_H
#define MOCK_EVENT_H

#include "stream.h"

/* What makes an event one that streams can wait for: its own flag, or what aclrtCreateEvent adds without saying. */
#define EVENT_DEFAULT 0x4u
#define EVENT_WAITABLE (ACL_EVENT_SYNC | EVENT_DEFAULT)

struct event {
    struct cell cell;
    struct device *device;
    _Atomic uint32_t epoch; /* of the device when it was made: a reset ends it */
    uint32_t flags;
    bool new_mode; /* aclrtCreateEventExWithFlag */
    int32_t id;    /* on the device, -1: none now */
    _Atomic uint32_t users; /* the handle and the queued tasks */
    _Atomic uint32_t waits; /* queued wait tasks */
    pthread_mutex_t lock;   /* of all below */
    uint64_t records;       /* how many were queued */
    uint64_t signals;       /* how many have run */
    bool reset;             /* after the latest record */
    struct stream *stream;  /* the latest record's; it may be gone, and then its queue is past the position */
    uint64_t position;
    uint64_t time_ns; /* when it ran */
};

/* NULL after reporting: 107017 for what is no live event; reject_null's code for NULL. */
struct event *event_of(aclrtEvent handle, const char *argument);
/* The same, but an event that a device reset has ended lives again once the device is open. */
struct event *event_for_record(aclrtEvent handle, const char *argument);

/* Ends the handle. False: another thread has done so. */
bool event_end(struct event *event);
void event_leave(struct event *event);

/* Whether it was ever recorded, and if so where its latest record is. */
bool event_recorded(struct event *event, struct need *where);
/* Whether the latest record has run; true for an event without one. */
bool event_done(struct event *event);

/* Ends all events. */
void event_reset(void);

#endif
