/* aclrtSubscribeReport and what belongs to it: streams post callbacks to a thread of the program's, which calls them
 * inside aclrtProcessReport. */
#ifndef MOCK_REPORT_H
#define MOCK_REPORT_H

/* Forgets subscriptions and callbacks not yet called. All streams have ended. */
void report_reset(void);

#endif
