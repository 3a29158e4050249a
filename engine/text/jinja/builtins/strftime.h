#pragma once
#include <ctime>
#include <string>
#include <string_view>

namespace fireside::jinja {

/// strftime with English names whatever the locale (Qt sets the user's). %-d and its like drop the
/// padding. Unknown directives stay as they are.
std::string formatTime(const std::tm &time, std::string_view format);

/// "2026-11-20T12:00:00" (a space for T, no seconds, or a date alone are fine).
/// Throws Error(BadInput) when it is not a time.
std::tm parseIsoTime(const std::string &text);

std::tm localTimeNow();

} // namespace fireside::jinja
