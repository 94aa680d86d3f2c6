/* Who wants to know when streams come and go. */
#ifndef MOCK_STREAMSTATE_H
#define MOCK_STREAMSTATE_H

#include "acl/acl_rt.h"

/* Calls everybody who registered. With no lock held. */
void streamstate_tell(aclrtStream stream, aclrtStreamState state);
/* Forgets all of them. */
void streamstate_reset(void);

#endif
