#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "aclmock/aclmock.h"

#define DIAGNOSES_KEPT 256
#define SITES_AT_MOST 4096 /* a power of two; programs have fewer places that make things */

_Atomic uint32_t check_mode;

static pthread_mutex_t check_lock = PTHREAD_MUTEX_INITIALIZER;
static aclmock_diagnosis diagnoses[DIAGNOSES_KEPT];
static uint64_t count; /* since they were cleared */

/* ---- sites -------------------------------------------------------------------------------------------- */

static _Atomic aclmock_site_callback site_callback;
static char *sites[SITES_AT_MOST]; /* a hash table; entries stay */

static size_t hash_of(const char *string)
{
    uint64_t hash = 14695981039346656037u;
    for (; *string != '\0'; ++string) {
        hash = (hash ^ (unsigned char)*string) * 1099511628211u;
    }
    return (size_t)(hash ^ hash >> 32);
}

/* With the lock. "" when the table is full or memory ran out. */
static const char *intern(const char *site)
{
    size_t first = hash_of(site);
    for (size_t i = 0; i < SITES_AT_MOST; ++i) {
        char **entry = &sites[(first + i) % SITES_AT_MOST];
        if (*entry == NULL) {
            *entry = text_copy(site);
        }
        if (*entry == NULL || strcmp(*entry, site) == 0) {
            return *entry != NULL ? *entry : "";
        }
    }
    return "";
}

const char *check_site(void)
{
    aclmock_site_callback callback = atomic_load(&site_callback);
    char site[256] = "";
    if (callback == NULL || thread_call.name == NULL) { /* a thread of the mock's own is nowhere in the program */
        return "";
    }
    const struct thread_call call = call_suspend();
    callback(site, sizeof(site));
    call_resume(&call);
    site[sizeof(site) - 1] = '\0';
    pthread_mutex_lock(&check_lock);
    const char *kept = site[0] != '\0' ? intern(site) : "";
    pthread_mutex_unlock(&check_lock);
    return kept;
}

static _Atomic uint64_t serials;

struct made check_made(void)
{
    return (struct made){thread_call.name, check_site(), atomic_fetch_add(&serials, 1) + 1};
}

void check_add_made(struct text *text, const struct made *made)
{
    if (made->function != NULL) {
        text_add(text, " that %s made", made->function);
        check_add_site(text, made->site);
    }
}

uint64_t aclmock_mark(void)
{
    return atomic_load(&serials);
}

void check_add_site(struct text *text, const char *site)
{
    if (site != NULL && site[0] != '\0') {
        text_add(text, " at %s", site);
    }
}

void aclmock_set_site_callback(aclmock_site_callback callback)
{
    atomic_store(&site_callback, callback);
}

/* ---- diagnoses ---------------------------------------------------------------------------------------- */

static void print(const aclmock_diagnosis *diagnosis)
{
    fprintf(stderr, "mock libascendcl: %s: %s: %s%s%s%s\n", diagnosis->kind, diagnosis->function, diagnosis->text,
            diagnosis->site[0] != '\0' ? " [" : "", diagnosis->site, diagnosis->site[0] != '\0' ? "]" : "");
}

aclError diagnose(const char *kind, aclError code, const char *format, ...)
{
    aclmock_diagnosis made = {0};
    const char *function = thread_call.name != NULL ? thread_call.name : "(background)";
    va_list list;
    va_start(list, format);
    vsnprintf(made.text, sizeof(made.text), format, list);
    va_end(list);
    snprintf(made.kind, sizeof(made.kind), "%s", kind);
    snprintf(made.function, sizeof(made.function), "%s", function);
    snprintf(made.site, sizeof(made.site), "%s", check_site());
    pthread_mutex_lock(&check_lock);
    diagnoses[count++ % DIAGNOSES_KEPT] = made;
    pthread_mutex_unlock(&check_lock);
    uint32_t mode = atomic_load(&check_mode);
    if (mode == CHECK_WARN) {
        print(&made);
    }
    return mode == CHECK_ERROR && code != ACL_SUCCESS ? fail(code, "ACL_MOCK_CHECK", "%s: %s", kind, made.text)
                                                      : ACL_SUCCESS;
}

uint64_t aclmock_diagnoses(void)
{
    pthread_mutex_lock(&check_lock);
    uint64_t made = count;
    pthread_mutex_unlock(&check_lock);
    return made;
}

int aclmock_get_diagnosis(uint64_t index, aclmock_diagnosis *diagnosis)
{
    pthread_mutex_lock(&check_lock);
    bool kept = index < count && count - index <= DIAGNOSES_KEPT;
    if (kept) {
        *diagnosis = diagnoses[index % DIAGNOSES_KEPT];
    }
    pthread_mutex_unlock(&check_lock);
    return kept;
}

void aclmock_clear_diagnoses(void)
{
    pthread_mutex_lock(&check_lock);
    count = 0;
    pthread_mutex_unlock(&check_lock);
}

/* ---- the mode ----------------------------------------------------------------------------------------- */

/* Read when the library is loaded, so that the first call is checked already. */
__attribute__((constructor)) static void read_mode(void)
{
    static const char *const names[] = {"off", "warn", "error"};
    const char *name = env_text("ACL_MOCK_CHECK");
    uint32_t mode = CHECK_OFF;
    while (name != NULL && mode < COUNT(names) && strcmp(name, names[mode]) != 0) {
        ++mode;
    }
    if (mode == COUNT(names)) {
        fprintf(stderr, "mock libascendcl: ACL_MOCK_CHECK=%s is unknown, using off; known: off, warn, error\n", name);
        mode = CHECK_OFF;
    }
    atomic_store(&check_mode, mode);
}

void check_reset(void)
{
    aclmock_clear_diagnoses();
    read_mode();
}

void aclmock_set_check(aclmock_check mode)
{
    atomic_store(&check_mode, (uint32_t)mode);
}

aclmock_check aclmock_get_check(void)
{
    return (aclmock_check)atomic_load(&check_mode);
}
