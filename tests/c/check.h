/* Black-box tests of the library, in C or C++.
 *
 *     TEST(a_size_of_zero_is_refused)
 *     {
 *         void *memory;
 *         CHECK_OK(aclrtSetDevice(0));
 *         CHECK_EQ(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
 *         CHECK_SAID("size");
 *     }
 *
 * A check that fails prints place, expression, both values and the mock's last message, and ends the process.
 * `program` runs all tests, `program NAME...` those, `program --list` tells the names. tests/test_c.py compiles every
 * tests/c/test_*.c and .cpp, and runs each test in a process of its own.
 */
#ifndef CHECK_H
#define CHECK_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>
#include <aclmock/aclmock.h>

#define CHECK_TESTS_MAX 256

struct check_test {
    const char *name;
    void (*run)(void);
};

static struct check_test check_tests[CHECK_TESTS_MAX];
static size_t check_count;

#define TEST(test)                                                     \
    static void test(void);                                            \
    __attribute__((constructor)) static void test##_is_a_test(void)    \
    {                                                                  \
        check_add(#test, test);                                        \
    }                                                                  \
    static void test(void)

static inline void check_add(const char *name, void (*run)(void))
{
    if (check_count == CHECK_TESTS_MAX) {
        fprintf(stderr, "check.h: more than %d tests in one file\n", CHECK_TESTS_MAX);
        exit(2);
    }
    check_tests[check_count].name = name;
    check_tests[check_count++].run = run;
}

/* ---- checks ------------------------------------------------------------------------------------------- */

__attribute__((noreturn)) static inline void check_failed(const char *file, int line, const char *expression, const char *values)
{
    fprintf(stderr, "%s:%d: %s\n    %s\n    last message: %s\n", file, line, expression, values, aclmock_last_message());
    fflush(NULL);
    _Exit(1);
}

static inline void check_equal(const char *file, int line, const char *expression, long long seen, long long wanted)
{
    if (seen != wanted) {
        char values[128];
        snprintf(values, sizeof(values), "seen %lld (%#llx), wanted %lld (%#llx)", seen, (unsigned long long)seen, wanted, (unsigned long long)wanted);
        check_failed(file, line, expression, values);
    }
}

static inline void check_text(const char *file, int line, const char *expression, const char *text, const char *part)
{
    if (text == NULL || strstr(text, part) == NULL) {
        char values[4096];
        snprintf(values, sizeof(values), "\"%s\" is not in \"%s\"", part, text != NULL ? text : "(NULL)");
        check_failed(file, line, expression, values);
    }
}

static inline void check_bytes(const char *file, int line, const char *expression, const void *seen, const void *wanted, size_t size)
{
    const unsigned char *a = (const unsigned char *)seen;
    const unsigned char *b = (const unsigned char *)wanted;
    for (size_t i = 0; i < size; ++i) {
        if (a[i] != b[i]) {
            char values[128];
            snprintf(values, sizeof(values), "byte %zu of %zu: seen %#x, wanted %#x", i, size, a[i], b[i]);
            check_failed(file, line, expression, values);
        }
    }
}

/* Integers, enums, pointers. */
#define CHECK_EQ(seen, wanted) check_equal(__FILE__, __LINE__, #seen " == " #wanted, (long long)(seen), (long long)(wanted))
#define CHECK_OK(call) CHECK_EQ(call, ACL_SUCCESS)
#define CHECK(condition) check_equal(__FILE__, __LINE__, #condition, !!(condition), 1)
#define CHECK_BYTES(seen, wanted, size) check_bytes(__FILE__, __LINE__, #seen " == " #wanted, seen, wanted, size)
#define CHECK_HAS(text, part) check_text(__FILE__, __LINE__, #text " has " #part, text, part)
/* The last failure's text has this in it. */
#define CHECK_SAID(part) CHECK_HAS(aclmock_last_message(), part)

/* ---- what the tests run on ---------------------------------------------------------------------------- */

static inline const char *check_folder(const char *variable)
{
    const char *folder = getenv(variable);
    if (folder == NULL) {
        fprintf(stderr, "set %s, or run this by pytest tests/test_c.py\n", variable);
        exit(2);
    }
    return folder;
}

/* The binary of a kernel source in tests/kernels or of a sample: check_kernel("add_custom"). Valid until the next call. */
static inline const char *check_kernel(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof(path), "%s/%s.o", check_folder("CHECK_KERNELS"), name);
    return path;
}

/* A path for a file of this test's own. Valid until the next call. */
static inline const char *check_scratch(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof(path), "%s/%s", check_folder("CHECK_SCRATCH"), name);
    return path;
}

/* ---- threads ------------------------------------------------------------------------------------------ */

enum { CHECK_THREADS_MAX = 64 };

/* Runs `run` in so many threads, each with its number from 0 as the argument, to the end. */
static inline void check_in_threads(int count, void *(*run)(void *number))
{
    pthread_t threads[CHECK_THREADS_MAX];
    CHECK(count <= CHECK_THREADS_MAX);
    for (intptr_t i = 0; i < count; ++i) {
        CHECK_EQ(pthread_create(&threads[i], NULL, run, (void *)i), 0);
    }
    for (int i = 0; i < count; ++i) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
}

/* ---- main --------------------------------------------------------------------------------------------- */

static inline void check_run(const struct check_test *test)
{
    test->run();
    aclmock_reset(); /* what is left now, for a leak checker, no reset can reach */
}

static inline int check_run_named(const char *name)
{
    for (size_t i = 0; i < check_count; ++i) {
        if (strcmp(check_tests[i].name, name) == 0) {
            check_run(&check_tests[i]);
            return 0;
        }
    }
    fprintf(stderr, "there is no test %s\n", name);
    return 2;
}

static inline void check_list(void)
{
    for (size_t i = 0; i < check_count; ++i) {
        puts(check_tests[i].name);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        check_list();
        return 0;
    }
    int result = 0;
    for (int i = 1; i < argc && result == 0; ++i) {
        result = check_run_named(argv[i]);
    }
    for (size_t i = 0; argc == 1 && i < check_count; ++i) {
        check_run(&check_tests[i]);
    }
    return result;
}

#endif
