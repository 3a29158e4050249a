#pragma once
#include "engine/tensor/dtype.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Which tensor of a model gets which type when it is quantised: the mixtures that llama.cpp names
// Q4_K_M and so on, as data. Names of tensors are those of GGUF.
namespace fireside {

/// What a tensor does, as far as recipes tell tensors apart.
enum class TensorRole {
    Embedding,
    Output,         // also the embedding, where it is the output matrix too
    AttentionValue, // and what holds values among others
    AttentionKey,
    AttentionOutput,
    FfnDown,
    Other,
};

struct RecipeModel
{
    std::string_view architecture{};
    std::int64_t layers = 0;
    std::int64_t experts = 0;
    std::int64_t queriesPerKey = 1; // heads of queries that share one of keys
};

struct RecipeTensor
{
    std::string name; // "blk.3.ffn_down.weight"
    std::int64_t depth = 1, rows = 1, cols = 1;
    DType type = DType::F32; // as it is
};

struct RecipeRule;

/// A mixture of types.
struct Recipe
{
    std::string_view name;  // "Q4_K_M"
    std::uint32_t fileType; // general.file_type of a GGUF
    DType type;             // of all that no rule names
    std::span<const RecipeRule> rules;
    const char *label; // for people: "about 4 bits"
};
std::span<const Recipe> recipes();
/// By its name in capitals or small letters; "" is none (nullptr). Error(BadInput) for others.
const Recipe *findRecipe(std::string_view name);

/// "blk.12.…" → 12; −1: of no layer.
std::int64_t layerNumber(std::string_view tensor);

/// The type of each tensor; its own where it is to be left as it is: vectors, norms, routers, small
/// matrices. Where rows are no whole number of blocks, a type with smaller blocks.
std::vector<DType> typesFor(const Recipe &recipe, const RecipeModel &model,
                            std::span<const RecipeTensor> tensors);

} // namespace fireside
