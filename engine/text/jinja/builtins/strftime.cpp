#include "engine/text/jinja/builtins/strftime.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <array>
#include <chrono>
#include <optional>

namespace fireside::jinja {

namespace {

constexpr std::array<std::string_view, 7> Days = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                  "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> Months = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

std::string padded(int value, int width, char fill)
{
    std::string text = std::to_string(value);
    if (fill && static_cast<int>(text.size()) < width)
        text.insert(0, static_cast<std::size_t>(width) - text.size(), fill);
    return text;
}

/// ISO 8601 week and the year it belongs to, which is that of its Thursday.
std::pair<int, int> isoWeek(const std::tm &t)
{
    using namespace std::chrono;
    const int monday = (t.tm_wday + 6) % 7;
    const sys_days newYear = year(t.tm_year + 1900) / January / 1;
    const sys_days thursday = newYear + days(t.tm_yday - monday + 3);
    const year itsYear = year_month_day(thursday).year();
    const auto day = thursday - sys_days(itsYear / January / 1);
    return {static_cast<int>(itsYear), static_cast<int>(day.count()) / 7 + 1};
}

std::optional<std::string> numberDirective(const std::tm &t, char c, bool noPadding)
{
    const char zero = noPadding ? '\0' : '0';
    const int hour12 = t.tm_hour % 12 == 0 ? 12 : t.tm_hour % 12;
    switch (c) {
    case 'Y':
        return std::to_string(t.tm_year + 1900);
    case 'C':
        return padded((t.tm_year + 1900) / 100, 2, zero);
    case 'y':
        return padded(t.tm_year % 100, 2, zero);
    case 'm':
        return padded(t.tm_mon + 1, 2, zero);
    case 'd':
        return padded(t.tm_mday, 2, zero);
    case 'e':
        return padded(t.tm_mday, 2, noPadding ? '\0' : ' ');
    case 'H':
        return padded(t.tm_hour, 2, zero);
    case 'I':
        return padded(hour12, 2, zero);
    case 'k':
        return padded(t.tm_hour, 2, noPadding ? '\0' : ' ');
    case 'l':
        return padded(hour12, 2, noPadding ? '\0' : ' ');
    case 'M':
        return padded(t.tm_min, 2, zero);
    case 'S':
        return padded(t.tm_sec, 2, zero);
    case 'f':
        return "000000";
    case 'j':
        return padded(t.tm_yday + 1, 3, zero);
    case 'w':
        return std::to_string(t.tm_wday);
    case 'u':
        return std::to_string(t.tm_wday == 0 ? 7 : t.tm_wday);
    case 'U':
        return padded((t.tm_yday + 7 - t.tm_wday) / 7, 2, zero);
    case 'W':
        return padded((t.tm_yday + 7 - (t.tm_wday + 6) % 7) / 7, 2, zero);
    case 'V':
        return padded(isoWeek(t).second, 2, zero);
    case 'G':
        return std::to_string(isoWeek(t).first);
    default:
        return std::nullopt;
    }
}

std::optional<std::string> wordDirective(const std::tm &t, char c)
{
    const auto day = Days[static_cast<std::size_t>(t.tm_wday % 7)];
    const auto month = Months[static_cast<std::size_t>(t.tm_mon % 12)];
    switch (c) {
    case 'A':
        return std::string(day);
    case 'a':
        return std::string(day.substr(0, 3));
    case 'B':
        return std::string(month);
    case 'b':
    case 'h':
        return std::string(month.substr(0, 3));
    case 'p':
        return t.tm_hour < 12 ? "AM" : "PM";
    case 'P':
        return t.tm_hour < 12 ? "am" : "pm";
    case 'Z':
    case 'z':
        return std::string(); // the time carries no zone, as datetime.now() in Python
    case 'n':
        return "\n";
    case 't':
        return "\t";
    case '%':
        return "%";
    default:
        return std::nullopt;
    }
}

/// The format that a directive such as %F is short for; empty for the others.
std::string_view longForm(char c)
{
    switch (c) {
    case 'D':
    case 'x':
        return "%m/%d/%y";
    case 'F':
        return "%Y-%m-%d";
    case 'T':
    case 'X':
        return "%H:%M:%S";
    case 'R':
        return "%H:%M";
    case 'r':
        return "%I:%M:%S %p";
    case 'c':
        return "%a %b %e %H:%M:%S %Y";
    default:
        return {};
    }
}

std::string directive(const std::tm &t, char c, bool noPadding)
{
    if (const auto number = numberDirective(t, c, noPadding))
        return *number;
    if (const auto word = wordDirective(t, c))
        return *word;
    if (const std::string_view format = longForm(c); !format.empty())
        return formatTime(t, format);
    return std::string(noPadding ? "%-" : "%") + c;
}

bool isDigitAt(const std::string &text, std::size_t at)
{
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

} // namespace

std::string formatTime(const std::tm &time, std::string_view format)
{
    std::string out;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%' || i + 1 >= format.size()) {
            out += format[i];
            continue;
        }
        const bool noPadding = format[i + 1] == '-' && i + 2 < format.size();
        i += noPadding ? 2 : 1;
        out += directive(time, format[i], noPadding);
    }
    return out;
}

std::tm parseIsoTime(const std::string &text)
{
    // The shape, with digits for 0: a prefix of it that ends after the day, minute or second.
    static constexpr std::string_view Shape = "0000-00-00T00:00:00";
    std::size_t length = 0;
    while (length < Shape.size() && length < text.size()) {
        const char wanted = Shape[length];
        const bool fits = wanted == '0'
                              ? isDigitAt(text, length)
                              : text[length] == wanted || (wanted == 'T' && text[length] == ' ');
        if (!fits)
            break;
        ++length;
    }
    const bool complete = length == 10 || length == 16 || length == 19;
    const bool endsWell =
        length == text.size() ||
        (length == 19 && std::string_view(".Z+-").find(text[19]) != std::string_view::npos);
    const auto number = [&](std::size_t at, std::size_t count) {
        return at + count <= length ? std::stoi(text.substr(at, count)) : 0;
    };
    std::tm t{};
    t.tm_year = number(0, 4) - 1900;
    t.tm_mon = number(5, 2) - 1;
    t.tm_mday = number(8, 2);
    t.tm_hour = number(11, 2);
    t.tm_min = number(14, 2);
    t.tm_sec = number(17, 2);
    using namespace std::chrono;
    const year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                              day(static_cast<unsigned>(number(8, 2))));
    if (!complete || !endsWell || !date.ok() || t.tm_hour > 23 || t.tm_min > 59 || t.tm_sec > 60)
        throwBadInput(fireside::quoted(text) + " is no time of the form 2026-11-20T12:00:00");
    const sys_days today = date, newYear = date.year() / January / 1;
    t.tm_yday = static_cast<int>((today - newYear).count());
    t.tm_wday = static_cast<int>(weekday(today).c_encoding());
    t.tm_isdst = -1;
    return t;
}

std::tm localTimeNow()
{
    const std::time_t now = std::time(nullptr);
    std::tm result{};
    localtime_r(&now, &result);
    return result;
}

} // namespace fireside::jinja
