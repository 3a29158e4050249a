// What a fuzzer would make of the kept requests, the same each time.
#include "tests/fuzz/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <string>
#include <vector>

namespace fireside::fuzz {
namespace {

/// A value becomes another one, or bytes change, go, or come twice.
std::string changed(std::string text, std::mt19937 &random)
{
    static const std::regex value(
        R"(("([^"\\]|\\.)*"|-?[0-9]+(\.[0-9]+)?|true|false|null)(?=[,}\]]))");
    static const std::array<std::string, 14> others{"null",
                                                    "true",
                                                    "-1",
                                                    "1e400",
                                                    "\"\"",
                                                    "[]",
                                                    "{}",
                                                    "0.5",
                                                    "{\"type\":1}",
                                                    "[[[[]]]]",
                                                    "\"\xff",
                                                    "\"\\ud800\"",
                                                    "99999999999999999999",
                                                    "\"auto\""};
    const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
    for (auto times = 1 + below(3); times-- > 0;) {
        const std::size_t at = below(text.size()), length = below(30);
        const auto values = std::distance(std::sregex_iterator(text.begin(), text.end(), value),
                                          std::sregex_iterator());
        if (values > 0 && below(2) == 0) {
            auto it = std::sregex_iterator(text.begin(), text.end(), value);
            std::advance(it, static_cast<std::ptrdiff_t>(below(static_cast<std::size_t>(values))));
            text.replace(static_cast<std::size_t>(it->position()),
                         static_cast<std::size_t>(it->length()), others[below(others.size())]);
        } else if (below(2) == 0) {
            text.erase(at, length);
        } else if (below(2) == 0) {
            text.insert(at, text.substr(below(text.size()), length));
        } else if (!text.empty()) {
            text[at] = static_cast<char>(random());
        }
    }
    return text;
}

TEST(ChangedRequestsTest, EndWell)
{
    std::mt19937 random(7);
    const Target target = targets().front();
    std::vector<std::filesystem::path> files;
    for (const auto &entry :
         std::filesystem::directory_iterator(FIRESIDE_SOURCE_DIR "/tests/fuzz/corpus/requests"))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    ASSERT_GE(files.size(), 6u) << "the corpus is missing";
    for (const std::filesystem::path &path : files) {
        std::ifstream in(path, std::ios::binary);
        const std::string whole{std::istreambuf_iterator<char>(in), {}};
        for (int i = 0; i < 300; ++i) {
            const std::string text = changed(whole, random);
            ASSERT_NO_THROW(
                target.run({reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}))
                << text;
        }
    }
}

} // namespace
} // namespace fireside::fuzz
