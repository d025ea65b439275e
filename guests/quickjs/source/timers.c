/* setTimeout and clearTimeout, by sleeping: there is nothing else to do meanwhile; in the guest. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "timers.h"

/* What a program waits for; sorted by time, then by number. */
typedef struct Timer {
    struct Timer *next;
    int64_t id, at;
    JSValue callback;
} Timer;

static Timer *timers;
static int64_t last_timer;
static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static JSValue set_timeout(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    (void)self;
    double delay = 0;
    if (argc < 1 || !JS_IsFunction(ctx, argv[0])) return JS_ThrowTypeError(ctx, "setTimeout needs a function");
    if (argc > 1 && JS_ToFloat64(ctx, &delay, argv[1]) < 0) return JS_EXCEPTION;
    Timer *timer = malloc(sizeof *timer);
    if (timer == NULL) return JS_ThrowOutOfMemory(ctx);
    if (!(delay > 0)) delay = 0;
    timer->id = ++last_timer;
    timer->at = now_ms() + (delay < 0x1p31 ? (int64_t)delay : (int64_t)0x7fffffff);
    timer->callback = JS_DupValue(ctx, argv[0]);
    Timer **place = &timers;
    while (*place != NULL && (*place)->at <= timer->at) place = &(*place)->next;
    timer->next = *place;
    *place = timer;
    return JS_NewInt64(ctx, timer->id);
}

static JSValue clear_timeout(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    (void)self;
    int64_t id = 0;
    if (argc < 1 || JS_ToInt64(ctx, &id, argv[0]) < 0) return argc < 1 ? JS_UNDEFINED : JS_EXCEPTION;
    for (Timer **place = &timers; *place != NULL; place = &(*place)->next) {
        Timer *timer = *place;
        if (timer->id != id) continue;
        *place = timer->next;
        JS_FreeValue(ctx, timer->callback);
        free(timer);
        break;
    }
    return JS_UNDEFINED;
}

int timers_run(JSContext *context)
{
    Timer *timer = timers;
    if (timer == NULL) return 0;
    int64_t wait = timer->at - now_ms();
    if (wait > 0) {
        fflush(stdout);
        nanosleep(&(struct timespec){wait / 1000, wait % 1000 * 1000000}, NULL);
    }
    timers = timer->next;
    JSValue value = JS_Call(context, timer->callback, JS_UNDEFINED, 0, NULL);
    JS_FreeValue(context, timer->callback);
    free(timer);
    int result = JS_IsException(value) ? -1 : 1;
    JS_FreeValue(context, value);
    return result;
}

void timers_install(JSContext *context, JSValueConst global)
{
    JS_SetPropertyStr(context, global, "setTimeout", JS_NewCFunction(context, set_timeout, "setTimeout", 2));
    JS_SetPropertyStr(context, global, "clearTimeout", JS_NewCFunction(context, clear_timeout, "clearTimeout", 1));
}
