/* Mistakes that the real library takes without a word: ACL_MOCK_CHECK=off|warn|error.
 *
 * off (what C programs get) costs one load. warn writes one line on stderr, error makes the call fail as well; under
 * both the diagnosis is kept for aclmock_get_diagnosis. A diagnosis says what is wrong, where the object was made and
 * what to do; the function in progress and its place in a Python program are added here.
 */
#ifndef MOCK_CHECK_H
#define MOCK_CHECK_H

#include "error.h"

enum check_mode { CHECK_OFF, CHECK_WARN, CHECK_ERROR };

extern _Atomic uint32_t check_mode;

static inline bool check_on(void)
{
    return UNLIKELY(atomic_load_explicit(&check_mode, memory_order_relaxed) != CHECK_OFF);
}

/* kind: one short name a mistake, such as "double-free", by which tests and users tell diagnoses apart.
 * Returns `code`, stored and said, under error; else ACL_SUCCESS. A code of ACL_SUCCESS never makes the call fail: for
 * what fails anyway, or cannot any more. Call it when check_on(), with no lock held. */
aclError diagnose(const char *kind, aclError code, const char *format, ...) PRINTF(3, 4);

/* Where the program is now, as "file:line"; "" when nobody told how to find out (aclmock_set_site_callback). Lives for
 * ever, so that what is made now can keep it. With no lock held: it may call into Python. */
const char *check_site(void);

/* Who made an object. */
struct made {
    const char *function; /* of the ABI; NULL: the object was made while checks were off */
    const char *site;
    uint64_t serial; /* later objects have larger ones */
};

/* By the call in progress. With no lock held. */
struct made check_made(void);

/* " that aclrtMalloc made at a.py:3"; nothing while unknown. */
void check_add_made(struct text *text, const struct made *made);
/* " at a.py:3" */
void check_add_site(struct text *text, const char *site);

/* Forgets all diagnoses and reads ACL_MOCK_CHECK again. */
void check_reset(void);

#endif
