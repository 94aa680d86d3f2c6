#include "bind.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "aclmock/aclmock.h"
#include "file.h"
#include "hostbin.h"

/* A rule of a program's: which kernels get the implementation. */
struct binding {
    struct implementation implementation; /* first: what a thread announces is the rule's address too */
    uint64_t id;
    char *kernel; /* a name, or a pattern as the shell has */
    char *path;   /* of the binary, NULL: any */
    const struct binary *binary; /* NULL: any */
    struct binding *next; /* an older one */
};

static pthread_mutex_t bind_lock = PTHREAD_MUTEX_INITIALIZER;
static struct binding *bindings;
static struct binding *retired; /* a kernel unbound itself: freed when nothing can run */
static uint64_t last_id;
_Atomic uint64_t bind_generation = 1;

static struct {
    bool opened;
    struct binary **libraries;
    size_t count;
    struct text trouble; /* what did not load */
} shelf; /* of ACL_MOCK_KERNEL_PATH */

/* ---- ACL_MOCK_KERNEL_PATH ----------------------------------------------------------------------------- */

static void shelve(const char *path)
{
    struct text why = {0};
    struct binary *library = hostbin_open(path, &why);
    struct binary **bigger = library != NULL ? host_resize(shelf.libraries, (shelf.count + 1) * sizeof(*bigger)) : NULL;
    if (bigger != NULL) {
        shelf.libraries = bigger;
        shelf.libraries[shelf.count++] = library;
    } else {
        text_add(&shelf.trouble, "\n  ACL_MOCK_KERNEL_PATH: %s: %s", path, text_get(&why));
        if (library != NULL) {
            binary_free(library);
        }
    }
    text_free(&why);
}

static int is_kernel_file(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && (strcmp(dot, ".o") == 0 || strcmp(dot, ".so") == 0);
}

/* In the order of their names, so that the same one wins everywhere. */
static void shelve_folder(const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_kernel_file, alphasort);
    for (int i = 0; i < count; ++i) {
        struct text path = {0};
        text_add(&path, "%s/%s", folder, entries[i]->d_name);
        shelve(text_get(&path));
        text_free(&path);
        free(entries[i]);
    }
    free(entries);
}

static void open_shelf(void)
{
    char *list = text_copy(env_text("ACL_MOCK_KERNEL_PATH") != NULL ? env_text("ACL_MOCK_KERNEL_PATH") : "");
    char *rest = NULL;
    shelf.opened = true;
    for (char *path = list != NULL ? strtok_r(list, ":", &rest) : NULL; path != NULL; path = strtok_r(NULL, ":", &rest)) {
        if (file_is_directory(path)) {
            shelve_folder(path);
        } else {
            shelve(path);
        }
    }
    host_free(list);
}

static const struct implementation *find_on_shelf(const char *kernel)
{
    if (!shelf.opened) {
        open_shelf();
    }
    for (size_t i = 0; i < shelf.count; ++i) {
        const struct function *function = binary_find(shelf.libraries[i], kernel);
        if (function != NULL) {
            return &function->own;
        }
    }
    return NULL;
}

/* ---- finding ------------------------------------------------------------------------------------------ */

enum rank { RANK_NONE, RANK_NAME, RANK_OWN, RANK_PATH, RANK_BINARY };

/* How closely a rule fits: twice the rank, and one more for a plain name. 0: it does not. */
static int fit(const struct binding *binding, const struct function *function)
{
    if ((binding->binary != NULL && binding->binary != function->binary) ||
        (binding->path != NULL && strcmp(binding->path, function->binary->path) != 0)) {
        return 0;
    }
    bool plain = strcmp(binding->kernel, function->name) == 0;
    if (!plain && fnmatch(binding->kernel, function->name, 0) != 0) {
        return 0;
    }
    enum rank rank = binding->binary != NULL ? RANK_BINARY : binding->path != NULL ? RANK_PATH : RANK_NAME;
    return 2 * (int)rank + plain;
}

static const struct implementation *find_bound(const struct function *function)
{
    const struct implementation *found = function->own.run != NULL ? &function->own : NULL;
    int best = found != NULL ? 2 * RANK_OWN + 1 : 0;
    for (const struct binding *binding = bindings; binding != NULL; binding = binding->next) {
        int closeness = fit(binding, function); /* of two alike the newer one, which comes first, wins */
        if (closeness > best) {
            best = closeness;
            found = &binding->implementation;
        }
    }
    return found;
}

static void run_nothing(aclmock_ctx *ctx)
{
    (void)ctx;
}

static const struct implementation *find_rest(const struct function *function)
{
    static const struct implementation nothing = {run_nothing, NULL, ACLMOCK_ONCE};
    const struct implementation *found = find_on_shelf(function->name);
    const char *unbound = env_text("ACL_MOCK_UNBOUND");
    return found == NULL && unbound != NULL && strcmp(unbound, "noop") == 0 ? &nothing : found;
}

const struct implementation *bind_resolve(struct function *function)
{
    pthread_mutex_lock(&bind_lock);
    const struct implementation *found = find_bound(function);
    if (found == NULL) {
        found = find_rest(function);
    }
    atomic_store_explicit(&function->bound, found, memory_order_release);
    atomic_store_explicit(&function->bound_at, atomic_load(&bind_generation), memory_order_release);
    pthread_mutex_unlock(&bind_lock);
    return found;
}

const struct implementation *bind_enter_other(struct function *function)
{
    for (;;) {
        uint64_t before = atomic_load(&bind_generation);
        const struct implementation *found = bind_of(function);
        if (found == &function->own) {
            return found; /* since just now */
        }
        /* Announce first, then look: whoever unbinds does it the other way round. */
        if (atomic_load_explicit(&use_own->implementation, memory_order_relaxed) != found) {
            atomic_store(&use_own->implementation, found);
        }
        if (atomic_load(&bind_generation) == before) {
            return found;
        }
    }
}

void bind_explain(const struct function *function, struct text *text)
{
    pthread_mutex_lock(&bind_lock);
    text_add(text,
             "kernel %s of %s has no host implementation to run. Give it one: @acl_bind.mock.kernel(\"%s\") in Python, "
             "aclmock_bind in C, or a library built with aclmock/kernel.h on ACL_MOCK_KERNEL_PATH (%s). "
             "ACL_MOCK_UNBOUND=noop runs nothing and keeps the arguments%s",
             function->name, function->binary->path, function->name,
             env_text("ACL_MOCK_KERNEL_PATH") != NULL ? env_text("ACL_MOCK_KERNEL_PATH") : "now unset",
             text_get(&shelf.trouble));
    pthread_mutex_unlock(&bind_lock);
}

/* ---- binding ------------------------------------------------------------------------------------------ */

static void free_binding(struct binding *binding)
{
    host_free(binding->kernel);
    host_free(binding->path);
    host_free(binding);
}

/* As the loader spells it, when there is such a file. */
static char *spell_path(const char *path)
{
    struct text ignored = {0};
    char *real = file_real_path(path, &ignored);
    text_free(&ignored);
    return real != NULL ? real : text_copy(path);
}

static struct binding *new_binding(const char *kernel, const char *path)
{
    struct binding *binding = host_alloc(sizeof(*binding));
    if (binding == NULL) {
        return NULL;
    }
    binding->kernel = text_copy(kernel);
    binding->path = path != NULL ? spell_path(path) : NULL;
    if (binding->kernel == NULL || (path != NULL && binding->path == NULL)) {
        free_binding(binding);
        return NULL;
    }
    return binding;
}

aclError aclmock_bind(const char *kernel, const char *binPath, aclrtBinHandle binHandle, void (*run)(aclmock_ctx *ctx),
                      void *data, uint32_t flags, uint64_t *id)
{
    API(kernel, binPath, binHandle, run, data, flags, id);
    REQUIRE(kernel);
    REQUIRE(run);
    REQUIRE(id);
    if (flags > (ACLMOCK_ONCE | ACLMOCK_UNTRAPPED)) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "flags is %u, expected ACLMOCK_ONCE, ACLMOCK_UNTRAPPED, both or 0",
                      flags);
    }
    struct binary *binary = binHandle != NULL ? binary_of(binHandle) : NULL;
    if (binHandle != NULL && binary == NULL) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    struct binding *binding = new_binding(kernel, binPath);
    if (binding == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "EL9999", "no memory left to bind kernel %s", kernel);
    }
    binding->implementation = (struct implementation){run, data, flags};
    binding->binary = binary;
    pthread_mutex_lock(&bind_lock);
    *id = binding->id = ++last_id;
    binding->next = bindings;
    bindings = binding;
    atomic_fetch_add(&bind_generation, 1);
    pthread_mutex_unlock(&bind_lock);
    return ACL_SUCCESS;
}

/* ---- unbinding ---------------------------------------------------------------------------------------- */

/* Takes a rule out of the list: the one with the id, or one that is for the binary alone. */
static struct binding *take_out(uint64_t id, const struct binary *binary)
{
    struct binding **link = &bindings;
    while (*link != NULL && (*link)->id != id && (binary == NULL || (*link)->binary != binary)) {
        link = &(*link)->next;
    }
    struct binding *binding = *link;
    if (binding != NULL) {
        *link = binding->next;
        atomic_fetch_add(&bind_generation, 1);
    }
    return binding;
}

/* When it returns, no other thread runs the implementation. */
static bool unbind(uint64_t id, const struct binary *binary)
{
    pthread_mutex_lock(&bind_lock);
    struct binding *binding = take_out(id, binary);
    pthread_mutex_unlock(&bind_lock);
    if (binding == NULL) {
        return false;
    }
    if (use_wait_implementation(&binding->implementation)) {
        free_binding(binding);
        return true;
    }
    pthread_mutex_lock(&bind_lock);
    binding->next = retired;
    retired = binding;
    pthread_mutex_unlock(&bind_lock);
    return true;
}

aclError aclmock_unbind(uint64_t id)
{
    API(id);
    if (!unbind(id, NULL)) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "id is %llu, expected what aclmock_bind gave and nobody has unbound",
                      (unsigned long long)id);
    }
    return ACL_SUCCESS;
}

void bind_forget(const struct binary *binary)
{
    while (unbind(0, binary)) {
    }
}

static void free_list(struct binding **list)
{
    while (*list != NULL) {
        struct binding *binding = *list;
        *list = binding->next;
        free_binding(binding);
    }
}

void bind_reset(void)
{
    pthread_mutex_lock(&bind_lock);
    free_list(&bindings);
    free_list(&retired);
    for (size_t i = 0; i < shelf.count; ++i) {
        binary_free(shelf.libraries[i]);
    }
    host_free(shelf.libraries);
    text_free(&shelf.trouble);
    memset(&shelf, 0, sizeof(shelf));
    atomic_fetch_add(&bind_generation, 1);
    pthread_mutex_unlock(&bind_lock);
}
