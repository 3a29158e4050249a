#pragma once
#include <stdexcept>
#include <string>

namespace fireside {

enum class ErrorKind {
    BadInput,    // a file, argument or template is wrong: the user can act on the text
    Unsupported, // well-formed, but an architecture, type or feature we do not have
    Memory,      // does not fit, or an allocation failed; the text has the numbers
    Io,          // the operating system refused; the text has path and reason
    Device,      // a GPU driver failed
    Cancelled,   // a stop token was set
    Internal,    // our mistake
};

/// The one exception type the engine throws. what() is a sentence for a person, without a final
/// dot.
class Error : public std::runtime_error
{
public:
    Error(ErrorKind kind, const std::string &text)
        : std::runtime_error(text)
        , m_kind(kind)
    {}
    /// ErrorKind::Device, of a device that did not answer in time: it must not be used again.
    static Error ofHang(const std::string &text)
    {
        Error error(ErrorKind::Device, text);
        error.m_hang = true;
        return error;
    }
    ErrorKind kind() const noexcept { return m_kind; }
    bool isHang() const noexcept { return m_hang; }

private:
    ErrorKind m_kind;
    bool m_hang = false; // no type of its own: errors are copied between threads
};

[[noreturn]] void throwBadInput(const std::string &text);
[[noreturn]] void throwUnsupported(const std::string &text);
[[noreturn]] void throwCancelled();
[[noreturn]] void throwInternal(const std::string &text);

/// "1.2 GB", "763 MB", "12 kB": decimal units, two significant digits below 10.
std::string formatBytes(unsigned long long bytes);

} // namespace fireside
