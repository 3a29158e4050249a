#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireside {

class ModelFile;

/// Networks ask for weights by their GGUF names ("blk.3.attn_q.weight"); in a Hugging Face folder
/// they have others ("model.layers.3.self_attn.q_proj.weight").
std::string tensorNameIn(const ModelFile &file, const std::string &name);

/// Where one matrix of each expert lies in a Hugging Face folder.
struct ExpertNames
{
    std::string before, after; // of one tensor per expert, around its number
    std::string packed;        // of one tensor [E, rows, cols] for all, or
    int half = -1;             // 0, 1: of the upper or lower half of its rows
};
/// nullopt when the name is none of experts' weights.
std::optional<ExpertNames> expertNames(const ModelFile &file, const std::string &name);

/// The layer a tensor of either form belongs to.
std::optional<std::size_t> layerOf(std::string_view tensor);

} // namespace fireside
