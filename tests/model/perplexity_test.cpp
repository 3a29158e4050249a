// What rounding activations to 8 bits costs: the starter model's perplexity on a text, against the
// same weights as F32, whose products take activations as they are.
#include "engine/cpu/simd/kernels.h"
#include "engine/text/tokenizer.h"
#include "tests/support/model_fixture.h"
#include "tests/support/starter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace fireside {
namespace {

using test::ModelFixture;

// The first lines of three novels (Melville 1851, Austen 1813, Dickens 1859).
constexpr const char *kText =
    "Call me Ishmael. Some years ago, never mind how long precisely, having little or no "
    "money in my purse, and nothing particular to interest me on shore, I thought I would "
    "sail about a little and see the watery part of the world. It is a way I have of "
    "driving off the spleen and regulating the circulation. Whenever I find myself "
    "growing grim about the mouth; whenever it is a damp, drizzly November in my soul; "
    "whenever I find myself involuntarily pausing before coffin warehouses, and bringing "
    "up the rear of every funeral I meet; and especially whenever my hypos get such an "
    "upper hand of me, that it requires a strong moral principle to prevent me from "
    "deliberately stepping into the street, and methodically knocking people's hats off, "
    "then, I account it high time to get to sea as soon as I can. This is my substitute "
    "for pistol and ball. With a philosophical flourish Cato throws himself upon his "
    "sword; I quietly take to the ship. There is nothing surprising in this. If they but "
    "knew it, almost all men in their degree, some time or other, cherish very nearly the "
    "same feelings towards the ocean with me.\n"
    "It is a truth universally acknowledged, that a single man in possession of a good "
    "fortune, must be in want of a wife. However little known the feelings or views of "
    "such a man may be on his first entering a neighbourhood, this truth is so well fixed "
    "in the minds of the surrounding families, that he is considered the rightful "
    "property of some one or other of their daughters.\n"
    "It was the best of times, it was the worst of times, it was the age of wisdom, it "
    "was the age of foolishness, it was the epoch of belief, it was the epoch of "
    "incredulity, it was the season of Light, it was the season of Darkness, it was the "
    "spring of hope, it was the winter of despair, we had everything before us, we had "
    "nothing before us, we were all going direct to Heaven, we were all going direct the "
    "other way.";

/// −log p(id) of one row of logits.
double surprise(std::span<const float> row, TokenId id)
{
    const double highest = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const float logit : row)
        sum += std::exp(logit - highest);
    return highest + std::log(sum) - row[static_cast<std::size_t>(id)];
}

/// Positions are computed `chunk` at a time.
double perplexity(const ModelFixture &model, std::span<const TokenId> ids, std::size_t chunk)
{
    const auto session = model.session(512, DType::F32);
    const std::size_t V = model.vocabulary(), predicted = ids.size() - 1;
    double sum = 0;
    std::vector<float> logits;
    for (std::size_t first = 0; first < predicted; first += chunk) {
        const std::size_t count = std::min(chunk, predicted - first);
        session->appendAll(ids.subspan(first, count), logits);
        for (std::size_t i = 0; i < count; ++i)
            sum += surprise(std::span(logits).subspan(i * V, V), ids[first + i + 1]);
    }
    return std::exp(sum / static_cast<double>(predicted));
}

TEST(Perplexity, EveryInstructionSetStaysNearUnroundedActivations)
{
    const test::TempDir dir;
    const std::vector<TokenId> ids =
        Tokenizer::open(test::starterModel())->encode(MarkedText::fromUser(kText), true);
    ASSERT_GE(ids.size(), 400u);
    const double exact = perplexity(ModelFixture(test::starterModelInF32(dir)), ids, ids.size());
    ASSERT_GT(exact, 20);
    ASSERT_LT(exact, 60); // it knows some English
    const Isa usual = selectedIsa();
    for (const VectorKernels *level : availableVectorKernels()) {
        selectIsa(level->isa);
        const ModelFixture model(test::starterModel());
        for (const std::size_t chunk : {ids.size(), std::size_t(1)})
            EXPECT_NEAR(perplexity(model, ids, chunk) / exact, 1, 0.003)
                << isaName(level->isa) << ", " << chunk << " at a time";
    }
    selectIsa(usual);
}

} // namespace
} // namespace fireside
