#pragma once
#include "engine/generate/prefix_tree.h"

#include <filesystem>
#include <stop_token>

// Files of kept tokens, one for each run. The header has everything about it and the sum of itself;
// then come rows and states, and their sum. Little-endian. A program that makes or reads them in
// another way, or whose models give other keys and values, raises the version.
namespace fireside {

inline constexpr std::uint32_t kPrefixFileVersion = 2;
inline constexpr const char *kPrefixFileEnding = ".kept";

std::filesystem::path prefixFilePath(const std::filesystem::path &folder, std::uint64_t id);

/// Appears when it is complete. Error(Io) with path and reason, also where the disk would have less
/// than `leave` bytes left; Error(Cancelled).
void writePrefixFile(const std::filesystem::path &folder, const PrefixNode &node,
                     const KeptTokens &kept, std::uint64_t leave, const std::stop_token &stop);

/// The header alone. Error(Io) when it cannot be read, Error(BadInput) when it is damaged,
/// Error(Unsupported) of another version.
PrefixNode readPrefixHeader(const std::filesystem::path &path);

/// All of it. Error as above; BadInput also where it is not the file of `node`.
KeptTokens readPrefixFile(const std::filesystem::path &path, const PrefixNode &node);

} // namespace fireside
