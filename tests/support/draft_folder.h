#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace fireside::test {

/// How a family's folder names the parts of a head for drafting, and which golden model and layer
/// of it the head's layer is made from.
struct DraftNames
{
    std::string golden{};
    std::string transformer{}; // the class in place of the golden model's; empty: as it is
    int from = 0;              // the layer that the head's is a copy of
    std::string layer{};       // "model.layers.3."
    std::string join{}, embeddingNorm{}, hiddenNorm{};
    std::string norm{}, embedding{}, output{}; // empty: the model's own
    bool hiddenFirst = false, plusOne = false;
    nlohmann::json alone = nlohmann::json::object(); // what config.json of the layer alone changes

    friend void PrintTo(const DraftNames &names, std::ostream *out) { *out << names.golden; }
};
/// Of all families that have one, those in the project first.
const std::vector<DraftNames> &draftNames();
/// A head that is a further layer of its own, with all parts, or with those that are not `shared`.
DraftNames draftAsLayer(const std::string &golden, int layers, bool shared = false);
/// Those of a further head, where heads differ by the number in `layer`.
DraftNames ofFurtherHead(const DraftNames &names, int head);
inline constexpr std::size_t kDraftsHere = 2; // in the project itself

/// Numbers of a head, beside its layer.
struct DraftWeights
{
    std::vector<float> join;                            // [hidden, 2·hidden]
    std::vector<float> embeddingNorm, hiddenNorm, norm; // [hidden], as in the file
    std::vector<float> embedding, output;               // [vocabulary, hidden]
};

/// A golden folder written again with heads for drafting: of random numbers, or of those given.
enum class DraftKind {
    Random, // guesses wrongly
    Right,  // layers do nothing, and the head guesses the model's own choice
    Often,  // the same, right for some tokens
};
DraftWeights writeDraftFolder(const std::filesystem::path &golden, const DraftNames &names,
                              DraftKind kind, const std::filesystem::path &out, int heads = 1);

/// A model of the head's layer alone, whose tokens' embeddings are `rows` [T, hidden]: its logits
/// are the head's.
void writeDraftLayer(const std::filesystem::path &golden, const DraftNames &names,
                     const DraftWeights &weights, std::span<const float> rows,
                     const std::filesystem::path &out);

} // namespace fireside::test
