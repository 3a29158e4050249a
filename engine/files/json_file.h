#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace fireside {

/// A whole JSON file. Error(Io), or Error(BadInput) naming the file when it is larger than
/// maxBytes, nests deeper than 64 levels or is no valid JSON; Python's bare Infinity is taken.
nlohmann::json readJsonFile(const std::filesystem::path &path, std::uintmax_t maxBytes);

/// The same of a text that was read from this file.
nlohmann::json parseJsonText(const std::string &text, const std::filesystem::path &path);

/// The text of such a file, for parsers of one's own.
std::string readJsonText(const std::filesystem::path &path, std::uintmax_t maxBytes);

/// A whole regular file as text, with the same limit.
std::string readTextFile(const std::filesystem::path &path, std::uintmax_t maxBytes);

} // namespace fireside
