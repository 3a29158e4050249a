#include "engine/model/quantize/recipe.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

namespace fireside {

/// Under what circumstances a rule holds. Layers are counted among those that have such a tensor.
enum class RecipeCase {
    Always,
    MoreBits, // the first and last eighth of the layers, and every third between
    FirstEighth,
    FirstSixteenth,
    FirstFour,
    FirstTwo,
    EightExperts,
    ManyQueries,  // at least four heads of queries share one of keys
    EightyLayers, // and queries share keys: Llama 2 70B
};

/// The first rule that holds names the type.
struct RecipeRule
{
    TensorRole role;
    RecipeCase when;
    DType type;
    std::string_view architecture{}; // empty: of any
};

namespace {

using Role = TensorRole;
using When = RecipeCase;

struct RoleName
{
    std::string_view part; // of the name
    TensorRole role;
};
constexpr std::array kRoles{
    RoleName{"token_embd.weight", Role::Embedding}, // and of layers
    RoleName{"attn_qkv.weight", Role::AttentionValue},
    RoleName{"attn_kv_b.weight", Role::AttentionValue},
    RoleName{"attn_v.weight", Role::AttentionValue},
    RoleName{"attn_k.weight", Role::AttentionKey},
    RoleName{"attn_output.weight", Role::AttentionOutput},
    RoleName{"ffn_down", Role::FfnDown},
};

/// Matrices that are left as they are: small, or sensitive.
constexpr std::array<std::string_view, 19> kKept{
    "_norm.weight",
    "ffn_gate_inp.weight",
    "ffn_gate_inp_shexp",
    "altup",
    "laurel",
    "per_layer_model_proj",
    "position_embd",
    "token_types",
    "ssm_conv1d",
    "shortconv.conv.",
    "indexer.k_proj",
    "indexer.q_proj",
    "time_mix_",
    "attn_rel_b",
    "rel_b.weight",
    "cls.",
    ".rel_pos",
    ".patch_embd",
    "dense_",
};

// Rules of most mixtures: in a mixture of eight experts attention is a small part of the model.
constexpr RecipeRule kValueOfEight{Role::AttentionValue, When::EightExperts, DType::Q8_0};
constexpr RecipeRule kKeyOfEight{Role::AttentionKey, When::EightExperts, DType::Q8_0};
constexpr RecipeRule kOutputOfEight{Role::AttentionOutput, When::EightExperts, DType::Q5_K};
constexpr RecipeRule kValueOfEighty{Role::AttentionValue, When::EightyLayers, DType::Q5_K};

constexpr std::array kQ2K{
    kValueOfEight,
    kKeyOfEight,
    kOutputOfEight,
    kValueOfEighty,
    RecipeRule{Role::AttentionValue, When::ManyQueries, DType::Q4_K},
    RecipeRule{Role::AttentionValue, When::Always, DType::Q3_K},
    RecipeRule{Role::FfnDown, When::Always, DType::Q3_K},
    RecipeRule{Role::AttentionOutput, When::Always, DType::Q3_K},
};
constexpr std::array kQ3KS{kValueOfEight, kKeyOfEight, kOutputOfEight, kValueOfEighty};
constexpr std::array kQ3KM{
    kValueOfEight,
    kKeyOfEight,
    kOutputOfEight,
    kValueOfEighty,
    RecipeRule{Role::AttentionValue, When::FirstTwo, DType::Q5_K},
    RecipeRule{Role::AttentionValue, When::Always, DType::Q4_K},
    RecipeRule{Role::FfnDown, When::FirstSixteenth, DType::Q5_K},
    RecipeRule{Role::FfnDown, When::MoreBits, DType::Q4_K, "falcon"},
    RecipeRule{Role::FfnDown, When::Always, DType::Q3_K, "falcon"},
    RecipeRule{Role::FfnDown, When::Always, DType::Q4_K},
    RecipeRule{Role::AttentionOutput, When::Always, DType::Q3_K, "falcon"},
    RecipeRule{Role::AttentionOutput, When::Always, DType::Q4_K},
};
constexpr std::array kQ3KL{
    kValueOfEight,
    kKeyOfEight,
    RecipeRule{Role::AttentionValue, When::Always, DType::Q5_K},
    RecipeRule{Role::FfnDown, When::Always, DType::Q4_K, "falcon"},
    RecipeRule{Role::FfnDown, When::Always, DType::Q5_K},
    RecipeRule{Role::AttentionOutput, When::EightExperts, DType::Q3_K},
    RecipeRule{Role::AttentionOutput, When::Always, DType::Q4_K, "falcon"},
    RecipeRule{Role::AttentionOutput, When::Always, DType::Q5_K},
};
constexpr std::array kQ4KS{
    kValueOfEight,
    kKeyOfEight,
    kOutputOfEight,
    kValueOfEighty,
    RecipeRule{Role::AttentionValue, When::FirstFour, DType::Q5_K},
    RecipeRule{Role::FfnDown, When::Always, DType::Q4_K, "falcon"},
    RecipeRule{Role::FfnDown, When::FirstEighth, DType::Q5_K},
};
constexpr std::array kQ4KM{
    kValueOfEight,
    kKeyOfEight,
    kOutputOfEight,
    RecipeRule{Role::AttentionValue, When::MoreBits, DType::Q6_K},
    kValueOfEighty,
    RecipeRule{Role::FfnDown, When::FirstSixteenth, DType::Q6_K, "falcon"},
    RecipeRule{Role::FfnDown, When::MoreBits, DType::Q5_K, "falcon"},
    RecipeRule{Role::FfnDown, When::MoreBits, DType::Q6_K},
};
constexpr std::array kQ5KM{
    kValueOfEight,
    kKeyOfEight,
    RecipeRule{Role::AttentionValue, When::MoreBits, DType::Q6_K},
    RecipeRule{Role::FfnDown, When::MoreBits, DType::Q6_K},
};
constexpr std::array kNonLinearRules{
    kValueOfEight,
    kKeyOfEight,
    kOutputOfEight,
    RecipeRule{Role::AttentionValue, When::ManyQueries, DType::Q5_K},
    RecipeRule{Role::FfnDown, When::FirstEighth, DType::Q5_K},
};
constexpr std::array kPlain{kValueOfEight, kKeyOfEight};

/// Numbers of file types are those of the GGUF format.
constexpr std::array kRecipes{
    Recipe{"Q8_0", 7, DType::Q8_0, kPlain, "8 bits, practically the original"},
    Recipe{"Q6_K", 18, DType::Q6_K, kPlain, "6.6 bits, hardly any loss"},
    Recipe{"Q5_K_M", 17, DType::Q5_K, kQ5KM, "5.7 bits, close to the original"},
    Recipe{"Q5_K_S", 16, DType::Q5_K, kPlain, "5.5 bits"},
    Recipe{"Q4_K_M", 15, DType::Q4_K, kQ4KM, "4.9 bits, good balance of size and quality"},
    Recipe{"Q4_K_S", 14, DType::Q4_K, kQ4KS, "4.6 bits"},
    Recipe{"Q3_K_L", 13, DType::Q3_K, kQ3KL, "4.3 bits"},
    Recipe{"Q3_K_M", 12, DType::Q3_K, kQ3KM, "3.9 bits, noticeable losses"},
    Recipe{"Q3_K_S", 11, DType::Q3_K, kQ3KS, "3.5 bits"},
    Recipe{"Q2_K", 10, DType::Q2_K, kQ2K, "3.2 bits, clear losses"},
    Recipe{"IQ4_NL", 25, DType::IQ4_NL, kNonLinearRules, "4.6 bits"},
    Recipe{"Q5_1", 9, DType::Q5_1, kPlain, "6 bits"},
    Recipe{"Q5_0", 8, DType::Q5_0, kPlain, "5.5 bits"},
    Recipe{"Q4_1", 3, DType::Q4_1, kPlain, "5 bits"},
    Recipe{"Q4_0", 2, DType::Q4_0, kPlain, "4.5 bits"},
    Recipe{"BF16", 32, DType::BF16, {}, "16 bits"},
    Recipe{"F16", 1, DType::F16, {}, "16 bits"},
    Recipe{"F32", 0, DType::F32, {}, "32 bits"},
};

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

bool isKept(const RecipeTensor &t)
{
    const bool matrix = (t.rows > 1) + (t.cols > 1) + (t.depth > 1) > 1;
    return !matrix || !t.name.ends_with(".weight") ||
           std::any_of(kKept.begin(), kKept.end(),
                       [&](std::string_view part) { return contains(t.name, part); });
}

TensorRole roleOf(std::string_view name)
{
    if (name == "output.weight")
        return Role::Output;
    const auto it = std::find_if(kRoles.begin(), kRoles.end(),
                                 [&](const RoleName &r) { return contains(name, r.part); });
    return it == kRoles.end() ? Role::Other : it->role;
}

/// A tensor's place among those of its role.
struct Place
{
    std::int64_t index = 0, count = 0;
};

bool holds(RecipeCase when, const RecipeModel &model, const Place &place)
{
    const std::int64_t i = place.index, n = place.count;
    switch (when) {
    case When::Always:
        return true;
    case When::MoreBits:
        return i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2;
    case When::FirstEighth:
        return i < n / 8;
    case When::FirstSixteenth:
        return i < n / 16;
    case When::FirstFour:
        return i < 4;
    case When::FirstTwo:
        return i < 2;
    case When::EightExperts:
        return model.experts == 8;
    case When::ManyQueries:
        return model.queriesPerKey >= 4;
    case When::EightyLayers:
        return model.layers == 80 && model.queriesPerKey > 1;
    }
    return false;
}

/// The same number of bits, or the next higher, in blocks of 32.
DType withSmallerBlocks(DType type)
{
    switch (type) {
    case DType::Q2_K:
    case DType::Q3_K:
        return DType::Q4_0;
    case DType::Q4_K:
        return DType::Q5_0;
    case DType::Q5_K:
        return DType::Q5_1;
    default:
        return DType::Q8_0;
    }
}

DType fitting(DType type, std::int64_t cols)
{
    const auto fits = [&](DType t) { return cols % info(t).blockElements == 0; };
    if (fits(type))
        return type;
    const DType smaller = withSmallerBlocks(type);
    return fits(smaller) ? smaller : DType::F16;
}

DType typeOf(const Recipe &recipe, const RecipeModel &model, const RecipeTensor &tensor,
             TensorRole role, const Place &place)
{
    const bool plain = info(recipe.type).blockElements == 1;
    if (plain)
        return recipe.type;
    if (role == Role::Output) {
        const bool coarse = recipe.type == DType::Q8_0 || model.architecture == "falcon" ||
                            tensor.cols % info(recipe.type).blockElements != 0;
        return fitting(coarse ? DType::Q8_0 : DType::Q6_K, tensor.cols);
    }
    for (const RecipeRule &rule : recipe.rules)
        if (rule.role == role && holds(rule.when, model, place) &&
            (rule.architecture.empty() || rule.architecture == model.architecture))
            return fitting(rule.type, tensor.cols);
    return fitting(recipe.type, tensor.cols);
}

} // namespace

std::span<const Recipe> recipes()
{
    return kRecipes;
}

const Recipe *findRecipe(std::string_view name)
{
    const auto same = [&](const Recipe &recipe) {
        return std::equal(name.begin(), name.end(), recipe.name.begin(), recipe.name.end(),
                          [](unsigned char a, unsigned char b) { return std::toupper(a) == b; });
    };
    if (name.empty())
        return nullptr;
    const auto it = std::find_if(kRecipes.begin(), kRecipes.end(), same);
    if (it != kRecipes.end())
        return &*it;
    std::string known;
    for (const Recipe &recipe : kRecipes)
        known += (known.empty() ? "" : ", ") + std::string(recipe.name);
    throwBadInput("unknown quantisation " + fireside::quoted(std::string(name)) + " (" + known +
                  ")");
}

std::int64_t layerNumber(std::string_view name)
{
    constexpr std::string_view kLayer = "blk.";
    std::int64_t layer = -1;
    if (name.starts_with(kLayer))
        std::from_chars(name.data() + kLayer.size(), name.data() + name.size(), layer);
    return layer;
}

std::vector<DType> typesFor(const Recipe &recipe, const RecipeModel &model,
                            std::span<const RecipeTensor> tensors)
{
    const bool tied = std::none_of(tensors.begin(), tensors.end(),
                                   [](const RecipeTensor &t) { return t.name == "output.weight"; });
    // Places go by layer, whatever the order of the file.
    std::vector<std::int64_t> valueLayers;
    for (const RecipeTensor &t : tensors)
        if (!isKept(t) && roleOf(t.name) == Role::AttentionValue)
            valueLayers.push_back(layerNumber(t.name));
    std::sort(valueLayers.begin(), valueLayers.end());

    std::vector<DType> types;
    for (const RecipeTensor &t : tensors) {
        TensorRole role = roleOf(t.name);
        if (tied && role == Role::Embedding)
            role = Role::Output;
        Place place{layerNumber(t.name), model.layers};
        if (role == Role::AttentionValue)
            place = {std::lower_bound(valueLayers.begin(), valueLayers.end(), place.index) -
                         valueLayers.begin(),
                     static_cast<std::int64_t>(valueLayers.size())};
        types.push_back(isKept(t) ? t.type : typeOf(recipe, model, t, role, place));
    }
    return types;
}

} // namespace fireside
