/* How a call fails: a code, the thread's last error, and a text that says what to do.
 *
 * Texts name the function (added here), the argument, the value seen and the value wanted. `id` is the real
 * library's message number; it opens the text.
 */
#ifndef MOCK_ERROR_H
#define MOCK_ERROR_H

#include "acl/acl_rt.h"
#include "base.h"
#include "call.h"

/* All return `code`. */
COLD aclError reject(aclError code, const char *id, const char *format, ...) PRINTF(3, 4); /* acl layer: said, not stored */
COLD aclError fail(aclError code, const char *id, const char *format, ...) PRINTF(3, 4);   /* runtime: said and stored */
COLD aclError fail_unsaid(aclError code, const char *format, ...) PRINTF(2, 3);            /* runtime: stored only */
COLD aclError fail_quietly(aclError code, const char *format, ...) PRINTF(2, 3);           /* runtime: neither */

COLD aclError reject_null(const char *argument);
COLD aclError reject_zero(const char *argument);

/* The two checks of the acl layer that nearly every function starts with. */
#define REQUIRE(argument)                       \
    do {                                        \
        if (UNLIKELY((argument) == NULL)) {     \
            return reject_null(#argument);      \
        }                                       \
    } while (0)

#define REQUIRE_SIZE(argument)                  \
    do {                                        \
        if (UNLIKELY((argument) == 0)) {        \
            return reject_zero(#argument);      \
        }                                       \
    } while (0)

aclError error_last(void);
void error_store(aclError code);

/* Forgets this thread's messages and last error. */
void error_reset(void);

bool error_pending(void);
/* Moves this thread's messages to `text`. With notes: those of fail_quietly too when there are no others. */
void error_take(struct text *text, bool notes);

#endif
