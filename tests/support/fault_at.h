#pragma once
#include "engine/core/exception_guard.h"

#include <atomic>
#include <new>
#include <stdexcept>
#include <string>

namespace fireside::test {

/// While it lives, one fault point throws: once, after so many passes. One at a time.
class FaultAt
{
public:
    enum class Kind { Error, Standard, Memory, Other };

    explicit FaultAt(std::string where, Kind kind = Kind::Standard, int after = 0)
    {
        s_where = std::move(where);
        s_kind = kind;
        s_left = after;
        s_thrown = 0;
        faultHook = hook;
    }
    ~FaultAt() { faultHook = nullptr; }
    FaultAt(const FaultAt &) = delete;
    FaultAt &operator=(const FaultAt &) = delete;
    int thrown() const { return s_thrown; }

private:
    static void hook(const char *where)
    {
        if (s_where != where || s_left.fetch_sub(1) != 0)
            return;
        ++s_thrown;
        switch (s_kind) {
        case Kind::Error:
            throw Error(ErrorKind::Internal, "a fault for the test");
        case Kind::Standard:
            throw std::logic_error("a fault for the test");
        case Kind::Memory:
            throw std::bad_alloc();
        case Kind::Other:
            throw 7;
        }
    }

    inline static std::string s_where;
    inline static std::atomic<Kind> s_kind;
    inline static std::atomic<int> s_left, s_thrown;
};

} // namespace fireside::test
