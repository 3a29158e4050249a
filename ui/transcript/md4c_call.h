#pragma once
#include "app/runtime/contained.h"

#include <type_traits>

namespace fireside {

/// What a callback of md4c returns for call(): its result, or 0. An exception must not enter the C
/// code; it ends the parsing, and md_parse() fails.
template <typename Call>
int md4cCall(Call call) noexcept
{
    int result = 0;
    const bool done = containExceptions("markdown", [&] {
        if constexpr (std::is_void_v<std::invoke_result_t<Call &>>)
            call();
        else
            result = call();
    });
    return done ? result : -1;
}

} // namespace fireside
