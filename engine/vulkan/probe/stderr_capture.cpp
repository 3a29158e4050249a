#include "engine/vulkan/probe/stderr_capture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace fireside::vulkan {

StderrCapture::StderrCapture()
    : m_saved(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3))
    , m_file(::memfd_create("fireside-driver-messages", MFD_CLOEXEC))
{
    if (m_saved < 0 || m_file < 0 || ::dup2(m_file, STDERR_FILENO) < 0) {
        if (m_saved >= 0)
            ::close(std::exchange(m_saved, -1));
    }
}

StderrCapture::~StderrCapture()
{
    restore();
    if (m_file >= 0)
        ::close(m_file);
}

void StderrCapture::restore() noexcept
{
    if (m_saved < 0)
        return;
    ::dup2(m_saved, STDERR_FILENO);
    ::close(std::exchange(m_saved, -1));
}

std::string StderrCapture::finish(std::size_t limit)
{
    restore();
    if (m_file < 0)
        return {};
    std::string text(limit, '\0');
    const ssize_t size = ::pread(m_file, text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

} // namespace fireside::vulkan
