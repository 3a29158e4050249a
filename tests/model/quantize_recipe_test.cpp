// Which tensor gets which type: what llama.cpp's quantiser chooses for the same shapes.
#include "engine/core/error.h"
#include "engine/model/quantize/recipe.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fireside {
namespace {

/// A model of so many layers whose matrices are all [512, 512].
std::vector<RecipeTensor> tensorsOf(std::int64_t layers)
{
    std::vector<RecipeTensor> tensors{{"token_embd.weight", 1, 1000, 512, DType::BF16},
                                      {"output.weight", 1, 1000, 512, DType::BF16},
                                      {"output_norm.weight", 1, 1, 512, DType::F32}};
    for (std::int64_t i = 0; i < layers; ++i)
        for (const char *name :
             {"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"})
            tensors.push_back(
                {"blk." + std::to_string(i) + '.' + name + ".weight", 1, 512, 512, DType::BF16});
    return tensors;
}

/// The layers whose tensor of this name has the type, as "0 1 7".
std::string layersWith(DType type, const char *name, std::span<const RecipeTensor> tensors,
                       std::span<const DType> types)
{
    std::string layers;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::string &full = tensors[i].name;
        if (types[i] == type && full.ends_with('.' + std::string(name) + ".weight"))
            layers += (layers.empty() ? "" : " ") + full.substr(4, full.find('.', 4) - 4);
    }
    return layers;
}

DType typeOfOne(const char *recipe, const RecipeTensor &tensor, const RecipeModel &model = {})
{
    std::vector<RecipeTensor> tensors{tensor};
    if (tensor.name != "output.weight")
        tensors.push_back({"output.weight", 1, 1000, 512, DType::BF16});
    return typesFor(*findRecipe(recipe), model, tensors).front();
}

TEST(QuantizeRecipeTest, MoreBitsForTheFirstAndLastLayersAndEveryThird)
{
    const std::vector<RecipeTensor> tensors = tensorsOf(16);
    const RecipeModel model{"llama", 16, 0, 4};
    const std::vector<DType> types = typesFor(*findRecipe("Q4_K_M"), model, tensors);
    for (const char *name : {"attn_v", "ffn_down"}) {
        EXPECT_EQ(layersWith(DType::Q6_K, name, tensors, types), "0 1 4 7 10 13 14 15") << name;
        EXPECT_EQ(layersWith(DType::Q4_K, name, tensors, types), "2 3 5 6 8 9 11 12") << name;
    }
    EXPECT_EQ(layersWith(DType::Q4_K, "attn_q", tensors, types).size(), 37u); // all
    EXPECT_EQ(types[0], DType::Q4_K);
    EXPECT_EQ(types[1], DType::Q6_K);
    EXPECT_EQ(types[2], DType::F32);
}

TEST(QuantizeRecipeTest, TheFirstLayersOfQ4KS)
{
    const std::vector<RecipeTensor> tensors = tensorsOf(16);
    const std::vector<DType> types = typesFor(*findRecipe("q4_k_s"), {"llama", 16, 0, 4}, tensors);
    EXPECT_EQ(layersWith(DType::Q5_K, "attn_v", tensors, types), "0 1 2 3");
    EXPECT_EQ(layersWith(DType::Q5_K, "ffn_down", tensors, types), "0 1");
}

TEST(QuantizeRecipeTest, LayersWithoutAttentionDoNotCount)
{
    // Every fourth of 16 layers has attention: the share of more bits is one of these four.
    std::vector<RecipeTensor> tensors;
    for (const char *layer : {"11", "3", "15", "7"}) // in any order
        tensors.push_back(
            {std::string("blk.") + layer + ".attn_v.weight", 1, 512, 512, DType::F16});
    const std::vector<DType> types =
        typesFor(*findRecipe("Q4_K_M"), {"qwen3next", 16, 0, 4}, tensors);
    EXPECT_EQ(layersWith(DType::Q6_K, "attn_v", tensors, types), "11 15");
}

TEST(QuantizeRecipeTest, AnEmbeddingThatIsTheOutputMatrixIsMadeLikeOne)
{
    const std::vector<RecipeTensor> tensors{{"token_embd.weight", 1, 1000, 512, DType::BF16}};
    EXPECT_EQ(typesFor(*findRecipe("Q4_K_M"), {}, tensors).front(), DType::Q6_K);
    EXPECT_EQ(typesFor(*findRecipe("Q8_0"), {}, tensors).front(), DType::Q8_0);
}

TEST(QuantizeRecipeTest, WhatIsSmallOrSensitiveIsLeftAsItIs)
{
    for (const char *name :
         {"blk.0.attn_norm.weight", "blk.0.ffn_gate_inp.weight", "blk.0.ssm_conv1d.weight",
          "blk.0.shortconv.conv.weight", "position_embd.weight", "token_types.weight",
          "blk.0.altup_router.weight", "blk.0.laurel_l.weight", "blk.0.ssm_a", "blk.0.attn_q.bias"})
        EXPECT_EQ(typeOfOne("Q4_K_M", {name, 1, 512, 512, DType::F16}), DType::F16) << name;
    EXPECT_EQ(typeOfOne("Q4_K_M", {"blk.0.attn_q.weight", 1, 1, 512, DType::F16}), DType::F16);
    EXPECT_EQ(typeOfOne("Q4_K_M", {"blk.0.ffn_up_exps.weight", 64, 512, 512, DType::F16}),
              DType::Q4_K);
}

TEST(QuantizeRecipeTest, RowsThatAreNoWholeNumberOfBlocksGetSmallerBlocks)
{
    struct Case
    {
        const char *recipe;
        std::int64_t cols;
        DType type;
    };
    for (const Case &c : {Case{"Q4_K_S", 320, DType::Q5_0}, Case{"Q5_K_S", 320, DType::Q5_1},
                          Case{"Q6_K", 320, DType::Q8_0}, Case{"Q2_K", 320, DType::Q4_0},
                          Case{"Q3_K_S", 96, DType::Q4_0}, Case{"Q4_K_S", 40, DType::F16},
                          Case{"Q8_0", 40, DType::F16}, Case{"Q4_K_S", 512, DType::Q4_K},
                          Case{"Q4_0", 96, DType::Q4_0}})
        EXPECT_EQ(typeOfOne(c.recipe, {"blk.0.attn_q.weight", 1, 512, c.cols, DType::F16}), c.type)
            << c.recipe << ' ' << c.cols;
    EXPECT_EQ(typeOfOne("Q4_K_M", {"output.weight", 1, 512, 320, DType::F16}), DType::Q8_0);
}

TEST(QuantizeRecipeTest, EightExperts)
{
    const RecipeModel mixtral{"llama", 32, 8, 4};
    const auto type = [&](const char *name) {
        return typeOfOne("Q4_K_M", {name, 1, 512, 512, DType::F16}, mixtral);
    };
    EXPECT_EQ(type("blk.9.attn_v.weight"), DType::Q8_0);
    EXPECT_EQ(type("blk.9.attn_k.weight"), DType::Q8_0);
    EXPECT_EQ(type("blk.9.attn_output.weight"), DType::Q5_K);
    EXPECT_EQ(type("blk.9.attn_q.weight"), DType::Q4_K);
    EXPECT_EQ(type("blk.0.ffn_down_exps.weight"), DType::Q6_K);
}

TEST(QuantizeRecipeTest, NamesInAnyCase)
{
    EXPECT_EQ(findRecipe("q4_k_m")->name, "Q4_K_M");
    EXPECT_EQ(findRecipe(""), nullptr);
    EXPECT_THROW(findRecipe("Q4"), Error);
    EXPECT_THROW(findRecipe("Q4_K_M "), Error);
}

} // namespace
} // namespace fireside
