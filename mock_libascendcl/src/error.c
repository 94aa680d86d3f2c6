#include "error.h"

#include <string.h>

#include "aclmock/aclmock.h"

#define MESSAGES_KEPT 64 /* a loop that fails for ever must not fill the memory */

struct message {
    char *text;
    bool note; /* the real library is silent here; ours speaks only when asked and nothing else is there */
};

struct thread_errors {
    struct thread_exit exit;
    struct message messages[MESSAGES_KEPT];
    size_t count;
    struct text newest;
};

static THREAD_LOCAL aclError last_error;
static THREAD_LOCAL struct thread_errors *thread_errors;

static void forget_messages(struct thread_errors *errors)
{
    for (size_t i = 0; i < errors->count; ++i) {
        host_free(errors->messages[i].text);
    }
    errors->count = 0;
}

static void leave_errors(struct thread_exit *node)
{
    struct thread_errors *errors = CONTAINER(node, struct thread_errors, exit);
    forget_messages(errors);
    text_free(&errors->newest);
    host_free(errors);
    thread_errors = NULL;
}

static struct thread_errors *errors_of_thread(void)
{
    if (thread_errors == NULL) {
        thread_errors = host_alloc(sizeof(*thread_errors));
        if (thread_errors != NULL) {
            thread_errors->exit.leave = leave_errors;
            thread_at_exit(&thread_errors->exit);
        }
    }
    return thread_errors;
}

static bool known_message(const struct thread_errors *errors, const char *text)
{
    for (size_t i = 0; i < errors->count; ++i) {
        if (strcmp(errors->messages[i].text, text) == 0) {
            return true;
        }
    }
    return false;
}

static void keep_message(struct thread_errors *errors, bool note)
{
    const char *text = text_get(&errors->newest);
    if (known_message(errors, text)) {
        return; /* as the real library does */
    }
    char *copy = text_copy(text);
    if (copy == NULL) {
        return;
    }
    if (errors->count == MESSAGES_KEPT) {
        host_free(errors->messages[0].text);
        memmove(errors->messages, errors->messages + 1, (MESSAGES_KEPT - 1) * sizeof(errors->messages[0]));
        --errors->count;
    }
    errors->messages[errors->count++] = (struct message){copy, note};
}

static aclError report(aclError code, const char *id, bool note, const char *format, va_list list)
{
    struct thread_errors *errors = errors_of_thread();
    thread_call.result = code;
    if (errors == NULL) {
        return code;
    }
    errors->newest.length = 0;
    text_add(&errors->newest, "%s: %s: ", id, thread_call.name != NULL ? thread_call.name : "libascendcl");
    text_vadd(&errors->newest, format, list);
    keep_message(errors, note);
    return code;
}

aclError reject(aclError code, const char *id, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(code, id, false, format, list);
    va_end(list);
    return code;
}

aclError fail(aclError code, const char *id, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(code, id, false, format, list);
    va_end(list);
    last_error = code;
    return code;
}

aclError fail_unsaid(aclError code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(code, "EE9999", true, format, list);
    va_end(list);
    last_error = code;
    return code;
}

aclError fail_quietly(aclError code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(code, "EE9999", true, format, list);
    va_end(list);
    return code;
}

aclError reject_null(const char *argument)
{
    return reject(ACL_ERROR_INVALID_PARAM, "EH0008", "%s is NULL, expected a valid pointer", argument);
}

aclError reject_zero(const char *argument)
{
    return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "%s is 0, expected more than 0", argument);
}

aclError error_last(void)
{
    return last_error;
}

void error_store(aclError code)
{
    last_error = code;
}

bool error_pending(void)
{
    for (size_t i = 0; thread_errors != NULL && i < thread_errors->count; ++i) {
        if (!thread_errors->messages[i].note) {
            return true;
        }
    }
    return false;
}

void error_take(struct text *text, bool notes)
{
    bool pending = error_pending();
    if (thread_errors == NULL) {
        return;
    }
    for (size_t i = 0; i < thread_errors->count; ++i) {
        const struct message *message = &thread_errors->messages[i];
        if (pending ? !message->note : notes) {
            text_add(text, "%s\n", message->text);
        }
    }
    forget_messages(thread_errors);
}

void error_reset(void)
{
    last_error = ACL_SUCCESS;
    if (thread_errors != NULL) {
        forget_messages(thread_errors);
        text_free(&thread_errors->newest);
    }
}

int aclmock_message_pending(void)
{
    return error_pending();
}

const char *aclmock_last_message(void)
{
    return thread_errors != NULL ? text_get(&thread_errors->newest) : "";
}
