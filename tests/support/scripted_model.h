#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace fireside::test {

/// Writes a model that says what it is told to say, through everything that a real one goes
/// through: replies[n] is its answer when n results of tools stand behind the user's last message
/// (the last one also for more). Each reply is a list of pieces, a token each; no piece comes
/// twice. Its template writes tools and calls in the way of Qwen's.
void writeScriptedModel(const std::filesystem::path &path,
                        const std::vector<std::vector<std::string>> &replies);

/// Writes one that thinks without end; when its thoughts are ended for it, it gives this answer, a
/// token each.
void writeEndlessThinker(const std::filesystem::path &path, const std::vector<std::string> &answer);

/// A call as it writes it.
std::string scriptedCall(const std::string &name, const std::string &arguments);

} // namespace fireside::test
