#include "engine/core/exception_guard.h"

#include "engine/core/memory_reserve.h"
#include "engine/core/quote.h"

#include <cstdio>
#include <exception>
#include <new>

namespace fireside {

Error currentError()
{
    try {
        throw;
    } catch (const Error &error) {
        return error;
    } catch (const std::bad_alloc &) {
        return Error(ErrorKind::Memory, outOfMemoryText());
    } catch (const std::exception &error) {
        return Error(ErrorKind::Internal, std::string("an internal error: ") + error.what());
    } catch (...) {
        return Error(ErrorKind::Internal, "an internal error");
    }
}

void logContained(const char *where, const Error &error) noexcept
{
    try {
        std::fprintf(stderr, "fireside: %s: %s\n", where, printable(error.what()).c_str());
    } catch (...) { // no memory for the text
        std::fprintf(stderr, "fireside: %s: an error\n", where);
    }
}

} // namespace fireside
