#pragma once
#include "engine/text/tokenizers/vocabulary.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fireside {

using MergePairs = std::vector<std::pair<std::string, std::string>>;

/// model.merges of a tokenizer.json, which writes a pair as a text or as a list.
MergePairs mergePairsOf(const nlohmann::json &model, const std::string &where);

/// Scores with which SentencePiece's BPE, that joins what gives the best token, does the same as a
/// list of merges: by id, the earlier merged the higher. nullopt where no scores do: two ways to a
/// token are far apart in the list, or one is missing.
std::optional<std::vector<float>> scoresOf(const MergePairs &merges, const Vocabulary &tokens);

} // namespace fireside
