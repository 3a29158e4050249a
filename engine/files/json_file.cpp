#include "engine/files/json_file.h"

#include "engine/core/error.h"

#include <cerrno>
#include <cstring>
#include <fstream>
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

} // namespace

std::string readTextFile(const std::filesystem::path &path, std::uintmax_t maxBytes)
{
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error)
        throw Error(ErrorKind::Io, path.string() + ": " + error.message());
    if (size > maxBytes)
        throwBadInput(path.string() + " is too large (" + formatBytes(size) + ", at most " +
                      formatBytes(maxBytes) + ")");
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    if (!file.read(text.data(), static_cast<std::streamsize>(text.size())))
        throw Error(ErrorKind::Io, path.string() + ": " + std::strerror(errno));
    return text;
}

nlohmann::json readJsonFile(const std::filesystem::path &path, std::uintmax_t maxBytes)
{
    const std::string text = readTextFile(path, maxBytes);
    if (isTooDeep(text))
        throwBadInput(path.string() + ": lists and objects nest deeper than " +
                      std::to_string(kMaxDepth) + " levels");
    try {
        return json::parse(text);
    } catch (const json::parse_error &failure) {
        throwBadInput(path.string() + " is no valid JSON: mistake at byte " +
                      std::to_string(failure.byte));
    } catch (const json::exception &failure) {
        throwBadInput(path.string() + " is no valid JSON: " + failure.what());
    }
}

} // namespace fireside
