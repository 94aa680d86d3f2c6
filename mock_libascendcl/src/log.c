/* The program's lines in the log.
 *
 * The real library writes files under ~/ascend/log unless told otherwise. The mock writes to stdout when
 * ASCEND_LOG_PRINT_TO_STDOUT (older: ASCEND_SLOG_PRINT_TO_STDOUT) is 1, to a file when ASCEND_PROCESS_LOG_PATH names a
 * folder, and else nowhere: that it leaves no files behind unasked is our choice.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl_base.h"
#include "base.h"
#include "call.h"

#define LEVEL_ERROR 3u
#define LEVEL_NONE 4u

static bool to_stdout(void)
{
    return env_number("ASCEND_LOG_PRINT_TO_STDOUT", 0, 0, 1) == 1 || env_number("ASCEND_SLOG_PRINT_TO_STDOUT", 0, 0, 1) == 1;
}

static void add_time(struct text *line)
{
    struct timespec now;
    struct tm local;
    char day[32];
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    strftime(day, sizeof(day), "%Y-%m-%d-%H:%M:%S", &local);
    text_add(line, "%s.%03ld.%03ld", day, now.tv_nsec / 1000000, now.tv_nsec / 1000 % 1000);
}

static void write_line(const struct text *line)
{
    const char *folder = env_text("ASCEND_PROCESS_LOG_PATH");
    if (to_stdout()) {
        fprintf(stdout, "%s\n", text_get(line));
        fflush(stdout);
    } else if (folder != NULL) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/plog-%d.log", folder, getpid());
        FILE *file = fopen(path, "a");
        if (file != NULL) {
            fprintf(file, "%s\n", text_get(line));
            fclose(file);
        }
    }
}

/* Nothing comes back from here, so nothing is refused: a NULL is written as such, an unknown level not at all. */
void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, ...)
{
    static const char *const names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    API_OR(, logLevel, func, file, line, fmt);
    uint32_t level = (uint32_t)logLevel;
    uint64_t lowest = env_number("ASCEND_GLOBAL_LOG_LEVEL", LEVEL_ERROR, 0, LEVEL_NONE);
    if (level >= COUNT(names) || level < lowest || fmt == NULL) {
        return;
    }
    struct text text = {0};
    text_add(&text, "[%s] APP(%d,%s):", names[level], getpid(), program_invocation_short_name);
    add_time(&text);
    text_add(&text, " [%s:%u]%ld %s: ", file != NULL ? file : "NULL", line, syscall(SYS_gettid), func != NULL ? func : "NULL");
    va_list list;
    va_start(list, fmt);
    text_vadd(&text, fmt, list);
    va_end(list);
    write_line(&text);
    text_free(&text);
}
