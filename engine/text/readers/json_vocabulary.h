#pragma once
#include "engine/text/readers/long_lists.h"
#include "engine/text/tokenizers/bpe_merge.h"
#include "engine/text/tokenizers/special_tokens.h"
#include "engine/text/tokenizers/vocabulary.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fireside {

/// The tokens of a tokenizer.json: the model's and those added to them.
struct JsonVocabulary
{
    Vocabulary tokens; // finished
    std::vector<AddedToken> added;
    std::vector<double> scores; // by id, of vocabularies that have some; added tokens have 0
    double lowestScore = 0;     // of the model's own
};

/// `where` is the path of the file with ": "; errors name what follows it. `lists`: what was taken
/// out of `root`.
JsonVocabulary readJsonVocabulary(const nlohmann::json &root, const LongLists &lists,
                                  const std::string &where);

/// model.merges, which `lists` gives up. `continuing` is what tokens within words begin with:
/// merged, only the left one's stays.
MergeTable readJsonMerges(const nlohmann::json &model, LongLists &lists, const Vocabulary &tokens,
                          const std::string &continuing, const std::string &where);

} // namespace fireside
