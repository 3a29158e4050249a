#pragma once
#include "engine/core/error.h"

#include <atomic>

namespace fireside {

using FaultHook = void (*)(const char *where);
/// For tests: called by every fault point, and may throw there. nullptr outside of tests.
inline std::atomic<FaultHook> faultHook{nullptr};

/// A place where tests throw, to show that the exception ends what it should and nothing else.
inline void faultPoint(const char *where)
{
    if (const FaultHook hook = faultHook.load(std::memory_order_relaxed)) [[unlikely]]
        hook(where);
}

/// The exception that is being handled, as an Error; call it in a catch block only. What is no
/// Error becomes Memory (std::bad_alloc) or Internal.
Error currentError();

/// One line on standard error for an exception that has no other recipient.
void logContained(const char *where, const Error &error) noexcept;

/// Runs the body of a thread, or what a library's callback calls: no exception leaves it. `failed`
/// gets the error; by default it is logged. False: there was one.
template <typename Call, typename Failed>
bool containExceptions(const char *where, Call &&call, Failed &&failed) noexcept
{
    try {
        faultPoint(where);
        call();
        return true;
    } catch (...) {
        try {
            failed(currentError());
        } catch (...) {
            logContained(where, Error(ErrorKind::Internal, "an error that could not be reported"));
        }
        return false;
    }
}

template <typename Call>
bool containExceptions(const char *where, Call &&call) noexcept
{
    return containExceptions(where, call,
                             [where](const Error &error) { logContained(where, error); });
}

} // namespace fireside
