#pragma once
#include "engine/model/quantize/recipe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace fireside {

class ModelFile;
struct Config;

/// What recipes ask of a model.
RecipeModel recipeModelOf(const Config &config);
/// The weights that a model's network asks its file for, each checked for type and shape. Throws as
/// loading would.
std::vector<RecipeTensor> weightsAskedOf(const ModelFile &file);

/// What the weights of a model become while it is loaded: known before anything is allocated, from
/// the shapes that its network asks for. Weights that are quantised in the file stay as they are.
class LoadTypes
{
public:
    /// As the file has them.
    LoadTypes() = default;
    /// Throws as loading would.
    LoadTypes(const ModelFile &file, const Recipe &recipe);

    /// Whether any weight changes.
    bool any() const { return !m_changes.empty(); }
    /// By the GGUF name; nullopt: it stays as it is.
    std::optional<DType> find(const std::string &tensor) const;
    /// Of the weights that change, as they are then.
    std::uint64_t bytes() const;

private:
    struct Change
    {
        DType type;
        std::uint64_t bytes;
    };
    std::unordered_map<std::string, Change> m_changes;
};

} // namespace fireside
