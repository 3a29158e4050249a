#pragma once
#include <string>

namespace fireside::vulkan {

/// While one exists, what drivers and layers print on standard error is kept instead of shown. The
/// descriptor belongs to the whole process, so keep the scope short. Nested or failing: no capture.
class StderrCapture
{
public:
    StderrCapture();
    ~StderrCapture();
    StderrCapture(const StderrCapture &) = delete;
    StderrCapture &operator=(const StderrCapture &) = delete;

    /// Ends the capture; at most `limit` bytes of what was printed, without the last line break.
    std::string finish(std::size_t limit = 2000);

private:
    void restore() noexcept;
    int m_saved = -1; // the real standard error
    int m_file = -1;  // where it goes meanwhile
};

} // namespace fireside::vulkan
