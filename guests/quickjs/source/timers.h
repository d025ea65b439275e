/* Timers of the program; in the guest. */
#ifndef SALLYPORT_QUICKJS_TIMERS_H
#define SALLYPORT_QUICKJS_TIMERS_H

#include "quickjs.h"

/* Adds setTimeout and clearTimeout. */
void timers_install(JSContext *context, JSValueConst global);
/* Sleeps until the first timer is due, and calls it. 0: there is none; -1: it threw. */
int timers_run(JSContext *context);

#endif
