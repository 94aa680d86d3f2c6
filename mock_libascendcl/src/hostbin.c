#include "hostbin.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "file.h"
#include "soc.h"

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#error "host kernels: name this machine's e_machine"
#endif

bool hostbin_recognise(const struct elf *elf)
{
    return elf_find_section(elf, ACLMOCK_SECTION) < elf->sections;
}

/* ---- code --------------------------------------------------------------------------------------------- */

static bool write_all(int file, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, data, size);
        if (written <= 0) {
            return false;
        }
        data += written;
        size -= (size_t)written;
    }
    return true;
}

/* The path of an open file, spelled differently each time: the loader takes equal paths for one library. Each bit of a
 * count becomes "/" or "/.", which mean the same. */
static void spell_path(int file, struct text *path)
{
    static _Atomic uint32_t count;
    text_add(path, "/proc/self/fd");
    for (uint32_t bits = atomic_fetch_add(&count, 1) + 1; bits != 0; bits >>= 1) {
        text_add(path, "%s", bits & 1 ? "/." : "/");
    }
    text_add(path, "/%d", file);
}

/* From a copy of its own, so that a binary loaded twice, or rebuilt in between, is not mistaken for the first one. */
static void *open_copy(const struct elf *elf, struct text *why)
{
    int file = memfd_create("host_kernels", MFD_CLOEXEC);
    if (file < 0 || !write_all(file, elf->data, elf->size)) {
        text_add(why, "no memory for a copy of the code: %s", strerror(errno));
        if (file >= 0) {
            close(file);
        }
        return NULL;
    }
    struct text path = {0};
    spell_path(file, &path);
    void *library = dlopen(text_get(&path), RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        text_add(why, "the host kernels do not load: %s", dlerror());
    }
    text_free(&path);
    close(file);
    return library;
}

/* ---- table -------------------------------------------------------------------------------------------- */

static void set_params(struct function *function, const aclmock_kernel *kernel)
{
    function->has_params = kernel->num_params != 0;
    function->num_params = kernel->num_params;
    function->params = kernel->params;
    for (uint32_t i = 0; i < kernel->num_params; ++i) {
        uint32_t end = kernel->params[i].offset + kernel->params[i].size;
        function->params_size = end > function->params_size ? end : function->params_size;
    }
}

static void set_type(struct function *function, enum aclmock_kernel_type type)
{
    static const aclrtKernelType types[] = {
        [ACLMOCK_VECTOR] = ACL_KERNEL_TYPE_VECTOR, [ACLMOCK_CUBE] = ACL_KERNEL_TYPE_CUBE,
        [ACLMOCK_AICORE] = ACL_KERNEL_TYPE_AICORE, [ACLMOCK_MIX] = ACL_KERNEL_TYPE_MIX,
        [ACLMOCK_AICPU] = ACL_KERNEL_TYPE_AICPU,
    };
    function->type = types[type];
    function->mix = type == ACLMOCK_MIX ? MIX_MAIN_AIC : MIX_NONE;
    function->ratio = 2;
    function->cpu = type == ACLMOCK_AICPU;
    function->overflow = !function->cpu;
    function->ffts = type == ACLMOCK_MIX && soc_is(SOC_A2);
    function->system_slots = (uint8_t)(function->overflow + function->ffts);
    function_set_head(function);
}

bool hostbin_add(struct binary *binary, const aclmock_kernel *kernel, struct text *why)
{
    if (kernel->name == NULL || kernel->run == NULL || (unsigned)kernel->type > ACLMOCK_AICPU) {
        text_add(why, "entry %zu of the kernel table has no name, no function or an unknown type", binary->count);
        return false;
    }
    struct function *function = binary_add(binary, kernel->name, why);
    if (function == NULL) {
        return false;
    }
    set_type(function, kernel->type);
    set_params(function, kernel);
    function->user_params = (uint16_t)(kernel->max_params != 0 ? kernel->max_params : PARAMS_AT_MOST);
    function->own = (struct implementation){kernel->run, kernel->data, 0};
    return true;
}

static bool read_table(struct binary *binary, struct text *why)
{
    void (*list)(struct aclmock_kernel_table *) = NULL;
    *(void **)&list = dlsym(binary->library, "aclmock_list_kernels");
    struct aclmock_kernel_table table = {0};
    if (list != NULL) {
        list(&table);
    }
    if (table.version != ACLMOCK_TABLE_VERSION || table.entry_size != sizeof(aclmock_kernel)) {
        text_add(why, "its kernel table has version %u, this mock reads version %u: build it again with this mock's "
                      "aclmock/kernel.h", table.version, ACLMOCK_TABLE_VERSION);
        return false;
    }
    for (const aclmock_kernel *kernel = table.first; kernel < table.end; ++kernel) {
        if (!hostbin_add(binary, kernel, why)) {
            return false;
        }
    }
    return true;
}

/* ---- code in the file --------------------------------------------------------------------------------- */

/* Bytes of the code at an address of the file's, 0 where its symbols do not say. */
static uint32_t code_size(const struct elf *elf, uint64_t address)
{
    for (uint64_t i = 0; i < elf->num_symbols; ++i) {
        struct elf_symbol symbol = elf_symbol(elf, i);
        if (symbol.type == STT_FUNC && symbol.value == address) {
            return (uint32_t)symbol.size;
        }
    }
    return 0;
}

/* Where functions are in the file, so that they have addresses and sizes; what runs is the code in the host's memory. */
static void read_code(struct binary *binary, struct elf *elf)
{
    struct text ignored = {0};
    elf_find_symbols(elf, &ignored);
    for (size_t i = 0; i < binary->count; ++i) {
        struct function *function = binary->functions[i];
        Dl_info place;
        if (dladdr((void *)(uintptr_t)function->own.run, &place) != 0) {
            uint64_t address = (uint64_t)((uintptr_t)function->own.run - (uintptr_t)place.dli_fbase);
            function->first = (struct code){(uint32_t)address, code_size(elf, address)};
            function->second = function->type == ACL_KERNEL_TYPE_MIX ? function->first : (struct code){0};
        }
    }
    if (!elf_find_image(elf, &binary->image, &ignored) || binary->image.size == 0) {
        host_free(binary->data); /* nothing that could go to a device */
        binary->data = NULL;
        binary->image = (struct elf_image){0};
    }
    text_free(&ignored);
}

bool hostbin_load(struct binary *binary, struct elf *elf, struct text *why)
{
    if (elf->machine != OWN_MACHINE) {
        text_add(why, "its host kernels are built for %s (e_machine %u), this machine is %s",
                 elf_machine_name(elf->machine), elf->machine, elf_machine_name(OWN_MACHINE));
        return false;
    }
    binary->library = open_copy(elf, why);
    if (binary->library == NULL || !read_table(binary, why) || !binary_index_entries(binary, why)) {
        return false;
    }
    read_code(binary, elf);
    return true;
}

struct binary *hostbin_open(const char *path, struct text *why)
{
    struct elf elf;
    struct binary *binary = binary_new(path);
    if (binary == NULL) {
        text_add(why, "no memory left");
        return NULL;
    }
    binary->kind = BINARY_HOST;
    binary->data = file_read(path, &binary->size, why);
    bool read = binary->data != NULL && elf_open(&elf, binary->data, binary->size, why);
    if (read) {
        read = hostbin_recognise(&elf) && hostbin_load(binary, &elf, why);
        elf_close(&elf);
    }
    if (!read) {
        text_add(why, "%s", why->length == 0 ? "it carries no host kernels: build one with acl-bind cc" : "");
        binary_free(binary);
        return NULL;
    }
    return binary;
}

void hostbin_unload(struct binary *binary)
{
    if (binary->library != NULL) {
        dlclose(binary->library);
        binary->library = NULL;
    }
}
