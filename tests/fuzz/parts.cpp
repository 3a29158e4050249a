#include "tests/fuzz/target.h"

namespace fireside::fuzz {

std::vector<std::string_view> parts(Bytes input, std::size_t count)
{
    constexpr std::string_view kBorder = "\n-----\n";
    std::vector<std::string_view> result;
    std::string_view rest = textOf(input);
    while (result.size() + 1 < count) {
        const std::size_t end = rest.find(kBorder);
        result.push_back(rest.substr(0, end));
        rest = end == rest.npos ? std::string_view() : rest.substr(end + kBorder.size());
    }
    result.push_back(rest);
    return result;
}

} // namespace fireside::fuzz
