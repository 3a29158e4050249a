#include "engine/files/json_file.h"

#include "engine/core/error.h"
#include "engine/files/mapped_file.h"

#include <string_view>

namespace fireside {
namespace {

using nlohmann::json;

/// Walking JSON is recursive, here and in the library, so the file must not decide how deep.
constexpr int kMaxDepth = 64;

bool isTooDeep(std::string_view text)
{
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\')
                ++i;
            inString = c != '"';
        } else if (c == '"') {
            inString = true;
        } else if ((c == '[' || c == '{') && ++depth > kMaxDepth) {
            return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

void requireShallow(std::string_view text, const std::filesystem::path &path)
{
    if (isTooDeep(text))
        throwBadInput(path.string() + ": lists and objects nest deeper than " +
                      std::to_string(kMaxDepth) + " levels");
}

/// Python writes an infinity as the bare word, which is no JSON: the largest number stands for it.
std::string withoutInfinities(const std::string &text)
{
    constexpr std::string_view kWord = "Infinity", kLargest = "1.7976931348623157e308";
    std::string out;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!inString && text.compare(i, kWord.size(), kWord) == 0) {
            out += kLargest;
            i += kWord.size() - 1;
            continue;
        }
        out += text[i];
        if (inString && text[i] == '\\' && i + 1 < text.size())
            out += text[++i];
        else if (text[i] == '"')
            inString = !inString;
    }
    return out;
}

} // namespace

std::string readTextFile(const std::filesystem::path &path, std::uintmax_t maxBytes)
{
    const MappedFile file(path); // regular files only: devices and pipes have no end
    const std::span<const std::byte> bytes = file.bytes();
    if (bytes.size() > maxBytes)
        throwBadInput(path.string() + " is too large (" + formatBytes(bytes.size()) + ", at most " +
                      formatBytes(maxBytes) + ")");
    return readUnchanged(file, [&] {
        return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    });
}

std::string readJsonText(const std::filesystem::path &path, std::uintmax_t maxBytes)
{
    std::string text = readTextFile(path, maxBytes);
    requireShallow(text, path);
    return text;
}

nlohmann::json readJsonFile(const std::filesystem::path &path, std::uintmax_t maxBytes)
{
    return parseJsonText(readTextFile(path, maxBytes), path);
}

nlohmann::json parseJsonText(const std::string &text, const std::filesystem::path &path)
{
    requireShallow(text, path);
    try {
        return text.find("Infinity") == std::string::npos ? json::parse(text)
                                                          : json::parse(withoutInfinities(text));
    } catch (const json::parse_error &failure) {
        throwBadInput(path.string() + " is no valid JSON: mistake at byte " +
                      std::to_string(failure.byte));
    } catch (const json::exception &failure) {
        throwBadInput(path.string() + " is no valid JSON: " + failure.what());
    }
}

} // namespace fireside
