#include "inject.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "aclmock/aclmock.h"
#include "error.h"

#define RULES_AT_MOST 256
#define FIRST_STORED_CODE 107000 /* the runtime's codes become the thread's last error, those of the acl layer do not */

struct rule {
    int id;
    bool of_kernel;
    char name[256];
    uint64_t skip; /* calls that pass before it applies */
    uint64_t left; /* calls that it applies to after those; 0: the entry is free */
    uint64_t delay_ns;
    aclError code;
    char text[512];
};

static struct rule rules[RULES_AT_MOST];
static pthread_mutex_t rule_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- applying ----------------------------------------------------------------------------------------- */

/* With the lock: counts the call. Whether the rule applies to it. */
static bool applies(struct rule *rule, const char *name, bool of_kernel)
{
    if (rule->left == 0 || rule->of_kernel != of_kernel || strcmp(rule->name, name) != 0) {
        return false;
    }
    if (rule->skip > 0) {
        --rule->skip;
        return false;
    }
    rule->left -= rule->left != ACLMOCK_ALWAYS;
    return true;
}

/* What happens to a call: the delays of all rules that apply, and the first failure. */
static struct rule draw(const char *name, bool of_kernel)
{
    struct rule drawn = {0};
    pthread_mutex_lock(&rule_lock);
    for (size_t i = 0; i < RULES_AT_MOST; ++i) {
        struct rule *rule = &rules[i];
        if (!applies(rule, name, of_kernel)) {
            continue;
        }
        drawn.delay_ns += rule->delay_ns;
        if (drawn.code == ACL_SUCCESS && rule->code != ACL_SUCCESS) {
            drawn.code = rule->code;
            memcpy(drawn.text, rule->text, sizeof(drawn.text));
        }
    }
    pthread_mutex_unlock(&rule_lock);
    return drawn;
}

static void sleep_ns(uint64_t ns)
{
    struct timespec left = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    while (ns != 0 && nanosleep(&left, &left) != 0) {
    }
}

aclError inject_call(void)
{
    struct rule rule = draw(thread_call.name, false);
    sleep_ns(rule.delay_ns);
    if (rule.code == ACL_SUCCESS) {
        return ACL_SUCCESS;
    }
    return rule.code < FIRST_STORED_CODE ? reject(rule.code, "ACL_MOCK_FAULT", "%s", rule.text)
                                         : fail(rule.code, "ACL_MOCK_FAULT", "%s", rule.text);
}

aclError inject_kernel(const char *kernel, struct text *why)
{
    struct rule rule = draw(kernel, true);
    sleep_ns(rule.delay_ns);
    if (rule.code != ACL_SUCCESS) {
        text_add(why, "kernel %s: %s", kernel, rule.text);
    }
    return rule.code;
}

/* ---- the mock's own face ------------------------------------------------------------------------------ */

/* Whether the library exports the function, whichever way the library was opened. */
static bool exported(const char *name)
{
    Dl_info own;
    if (dladdr(&call_watching, &own) == 0) {
        return false;
    }
    void *library = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    bool found = library != NULL && dlsym(library, name) != NULL;
    if (library != NULL) {
        dlclose(library);
    }
    return found;
}

/* The rule's id, 0 when there is no room for it. */
static int add(const struct rule *rule)
{
    static int ids;
    int id = 0;
    if (rule->left == 0 || strlen(rule->name) + 1 == sizeof(rule->name)) {
        return 0;
    }
    pthread_mutex_lock(&rule_lock);
    for (size_t i = 0; i < RULES_AT_MOST && id == 0; ++i) {
        if (rules[i].left == 0) {
            rules[i] = *rule;
            rules[i].id = id = ids = ids % INT_MAX + 1;
        }
    }
    pthread_mutex_unlock(&rule_lock);
    if (id != 0) {
        call_watch(WATCH_INJECT, true);
    }
    return id;
}

static struct rule make(const char *name, uint64_t nth, uint64_t times, aclError code, const char *text)
{
    struct rule rule = {.skip = nth > 0 ? nth - 1 : 0, .left = times, .code = code};
    snprintf(rule.name, sizeof(rule.name), "%s", name);
    snprintf(rule.text, sizeof(rule.text), "%s", text != NULL ? text : "made to fail on purpose");
    return rule;
}

int aclmock_fail_call(const char *function, uint64_t nth, uint64_t times, aclError code, const char *text)
{
    struct rule rule = make(function, nth, times, code, text);
    return code != ACL_SUCCESS && exported(function) ? add(&rule) : 0;
}

int aclmock_fail_kernel(const char *kernel, uint64_t nth, uint64_t times, aclError code, const char *text)
{
    struct rule rule = make(kernel, nth, times, code, text);
    rule.of_kernel = true;
    return code != ACL_SUCCESS ? add(&rule) : 0;
}

int aclmock_delay_call(const char *function, uint64_t nth, uint64_t times, uint64_t microseconds)
{
    struct rule rule = make(function, nth, times, ACL_SUCCESS, "");
    rule.delay_ns = microseconds * 1000;
    return exported(function) ? add(&rule) : 0;
}

int aclmock_delay_kernel(const char *kernel, uint64_t nth, uint64_t times, uint64_t microseconds)
{
    struct rule rule = make(kernel, nth, times, ACL_SUCCESS, "");
    rule.of_kernel = true;
    rule.delay_ns = microseconds * 1000;
    return add(&rule);
}

uint64_t aclmock_faults_left(void)
{
    uint64_t left = 0;
    pthread_mutex_lock(&rule_lock);
    for (size_t i = 0; i < RULES_AT_MOST; ++i) {
        left += rules[i].left != 0;
    }
    pthread_mutex_unlock(&rule_lock);
    return left;
}

void aclmock_take_back(int rule)
{
    pthread_mutex_lock(&rule_lock);
    for (size_t i = 0; i < RULES_AT_MOST; ++i) {
        if (rules[i].id == rule) {
            rules[i] = (struct rule){0};
        }
    }
    pthread_mutex_unlock(&rule_lock);
}

void inject_reset(void)
{
    pthread_mutex_lock(&rule_lock);
    memset(rules, 0, sizeof(rules));
    pthread_mutex_unlock(&rule_lock);
    call_watch(WATCH_INJECT, false);
}

void aclmock_clear_faults(void)
{
    inject_reset();
}
