/* C++17 kernels for the host: a plain function is registered by its own signature.
 *
 *     #include <aclmock/kernel.hpp>
 *     using namespace aclmock;
 *
 *     struct Tiling { uint32_t total; uint32_t tiles; };
 *
 *     void add_custom(GM<half> x, GM<half> y, GM<half> z, const Tiling *tiling)
 *     {
 *         size_t n = tiling->total / block_num(), first = n * block_idx();
 *         for (size_t i = first; i < first + n; ++i)
 *             z[i] = x[i] + y[i];
 *     }
 *     ACLMOCK_REGISTER(add_custom)
 *
 * GM<T> is a pointer into global memory whose every access is checked; `const T *` is a pointer whose T is checked
 * once (a placeholder's struct, say); anything else is passed by value. Each parameter starts in an 8-byte slot.
 */
#ifndef ACLMOCK_KERNEL_HPP
#define ACLMOCK_KERNEL_HPP

#include <cstring>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernel.h"

/* Hidden: two kernel binaries in one process must not share the pieces below. */
namespace aclmock __attribute__((visibility("hidden"))) {

class half {
public:
    half() = default;
    half(float value) : bits(aclmock_float_to_half(value)) {}
    operator float() const { return aclmock_half_to_float(bits); }

private:
    aclmock_half bits = 0;
};

namespace detail {

inline thread_local aclmock_ctx *ctx; /* of the block that this thread runs */

struct fault {}; /* unwinds a kernel whose fault has been noted */

inline void *reach(uint64_t address, size_t bytes)
{
    void *memory = ctx->calls->reach(ctx, address, bytes);
    if (memory == nullptr) {
        throw fault();
    }
    return memory;
}

} // namespace detail

inline uint32_t block_idx()
{
    return detail::ctx->block_idx;
}

inline uint32_t block_num()
{
    return detail::ctx->block_num;
}

/* Ends the launch with a device fault that says this. */
[[noreturn]] inline void fail(const char *text)
{
    detail::ctx->calls->note(detail::ctx, text);
    throw detail::fault();
}

template <class T>
class GM {
public:
    explicit GM(uint64_t address) : start(address) {}
    uint64_t address() const { return start; }
    T &operator[](size_t i) const { return *view(i, 1); }
    /* `count` elements from `first` on, checked once: the fast way to walk them. */
    T *view(size_t first, size_t count) const
    {
        return static_cast<T *>(detail::reach(start + first * sizeof(T), count * sizeof(T)));
    }

private:
    uint64_t start;
};

namespace detail {

template <class T>
T bytes_at(size_t offset)
{
    if (sizeof(T) > ctx->args_size || offset > ctx->args_size - sizeof(T)) {
        fail("the kernel takes more parameters than were passed");
    }
    T value;
    std::memcpy(&value, ctx->args + offset, sizeof(T));
    return value;
}

template <class T>
struct parameter {
    static_assert(std::is_trivially_copyable_v<T>, "a kernel's parameter is copied byte for byte");
    static constexpr size_t size = sizeof(T);
    static T read(size_t offset) { return bytes_at<T>(offset); }
};

template <class T>
struct parameter<GM<T>> {
    static constexpr size_t size = sizeof(uint64_t);
    static GM<T> read(size_t offset) { return GM<T>(bytes_at<uint64_t>(offset)); }
};

template <class T>
struct parameter<const T *> {
    static constexpr size_t size = sizeof(uint64_t);
    static const T *read(size_t offset)
    {
        return static_cast<const T *>(reach(bytes_at<uint64_t>(offset), sizeof(T)));
    }
};

template <class T>
T next_parameter(size_t &offset)
{
    size_t here = offset;
    offset += (parameter<T>::size + 7) / 8 * 8;
    return parameter<T>::read(here);
}

template <class... P>
void call(void (*kernel)(P...))
{
    size_t offset = ctx->args_head;
    std::tuple<P...> values{next_parameter<P>(offset)...}; /* braces: left to right */
    std::apply(kernel, values);
}

/* The bridge from the mock's C call to a kernel that may throw. */
template <auto kernel>
void run(aclmock_ctx *block)
{
    aclmock_ctx *outer = std::exchange(ctx, block);
    bool failed = true;
    try {
        call(kernel);
        failed = false;
    } catch (const fault &) {
    } catch (const std::exception &error) {
        block->calls->note(block, error.what());
    } catch (...) {
        block->calls->note(block, "the kernel threw something that is no std::exception");
    }
    ctx = outer;
    if (failed) {
        block->calls->leave(block);
    }
}

} // namespace detail
} // namespace aclmock

/* ACLMOCK_REGISTER(kernel), or ACLMOCK_REGISTER_AS(kernel, ACLMOCK_MIX) for another type than a vector kernel. */
#define ACLMOCK_REGISTER_AS(kernel, type) \
    ACLMOCK_ENTRY const aclmock_kernel kernel##_entry = {#kernel, aclmock::detail::run<&kernel>, type, 0, nullptr, 0, nullptr};
#define ACLMOCK_REGISTER(kernel) ACLMOCK_REGISTER_AS(kernel, ACLMOCK_VECTOR)

#endif
