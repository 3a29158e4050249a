// Heads for drafting: what they join in plain double precision, then their layer as the layer of a
// model, which golden models of the families check.
#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/generate/kv_cache.h"
#include "engine/model/describe.h"
#include "engine/model/model.h"
#include "tests/support/draft_folder.h"
#include "tests/support/gguf_from_folder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace fireside {
namespace {

using test::DraftKind;
using test::DraftNames;
using test::DraftWeights;

constexpr std::size_t kRows = 9;

/// weight (or 1 + weight) ⊙ x / rms(x)
std::vector<double> normed(std::span<const float> x, std::span<const float> weight, bool plusOne,
                           double eps)
{
    double squares = 0;
    for (const float v : x)
        squares += double{v} * v;
    const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + eps);
    std::vector<double> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        y[i] = x[i] * scale * (plusOne ? 1.0 + weight[i] : weight[i]);
    return y;
}

class DraftHeadTest : public testing::TestWithParam<DraftNames>
{
protected:
    void SetUp() override { m_golden = test::goldenFolder(names().golden); }
    const DraftNames &names() const { return GetParam(); }
    std::filesystem::path written(DraftKind kind, DraftWeights *weights = nullptr)
    {
        const std::filesystem::path out = m_folder / "model";
        const DraftWeights w = test::writeDraftFolder(m_golden, names(), kind, out);
        if (weights != nullptr)
            *weights = w;
        return out;
    }
    /// What the head's layer begins with, for hidden states and the tokens that follow them.
    std::vector<float> joined(const DraftWeights &w, std::span<const float> hidden,
                              std::span<const TokenId> ids, double eps) const
    {
        const std::size_t H = w.norm.size();
        std::vector<float> rows;
        for (std::size_t t = 0; t < ids.size(); ++t) {
            const auto token = static_cast<std::size_t>(ids[t]);
            std::vector<double> first = normed(std::span(w.embedding).subspan(token * H, H),
                                               w.embeddingNorm, names().plusOne, eps);
            std::vector<double> second =
                normed(hidden.subspan(t * H, H), w.hiddenNorm, names().plusOne, eps);
            if (names().hiddenFirst)
                first.swap(second);
            first.insert(first.end(), second.begin(), second.end());
            for (std::size_t i = 0; i < H; ++i)
                rows.push_back(static_cast<float>(std::inner_product(
                    first.begin(), first.end(),
                    w.join.begin() + static_cast<std::ptrdiff_t>(i * 2 * H), 0.0)));
        }
        return rows;
    }

    test::TempDir m_folder;
    std::filesystem::path m_golden;
};

TEST_P(DraftHeadTest, LogitsAreThoseOfTheParts)
{
    DraftWeights w;
    const test::ModelFixture model(written(DraftKind::Random, &w), test::WithDrafts());
    const Config &c = model.model().config();
    ASSERT_EQ(c.drafts, 1);
    const auto H = static_cast<std::size_t>(c.hidden), V = static_cast<std::size_t>(c.vocabulary);
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    std::vector<float> hidden(kRows * H);
    for (float &v : hidden)
        v = normal(random);
    std::vector<TokenId> ids(kRows);
    for (TokenId &id : ids)
        id = static_cast<TokenId>(random() % V);

    const std::vector<float> rows = joined(w, hidden, ids, c.normEps);
    test::writeDraftLayer(m_golden, names(), w, rows, m_folder / "layer");
    const test::ModelFixture layer(m_folder / "layer");
    std::vector<TokenId> numbers(kRows);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto session = layer.session();
    const std::vector<float> expected = test::allLogits(*session, numbers);

    // In two passes, over a cache.
    KvCache cache(model.model(), 32, DType::F32);
    std::vector<std::int32_t> positions(numbers.begin(), numbers.end());
    for (const auto &[begin, end] : {std::pair<std::size_t, std::size_t>{0, 5}, {5, kRows}}) {
        const std::size_t count = end - begin;
        const BatchItem item{cache.layers(), 0, static_cast<std::int64_t>(count),
                             static_cast<std::int64_t>(begin)};
        std::vector<float> logits(count * V), states(count * H);
        std::vector<std::int32_t> greedy(count);
        model.model().draft(0,
                            {std::span(ids).subspan(begin, count),
                             std::span(positions).subspan(begin, count),
                             {&item, 1}},
                            std::span(hidden).subspan(begin * H, count * H),
                            {.rows = std::span(numbers).first(count),
                             .logits = logits,
                             .greedy = greedy,
                             .hidden = states});
        for (std::size_t t = 0; t < count; ++t) {
            const std::span<const float> row(&logits[t * V], V);
            EXPECT_GE(test::cosineSimilarity(row, {&expected[(begin + t) * V], V}), 0.99999)
                << "row " << begin + t;
            EXPECT_EQ(greedy[t], std::max_element(row.begin(), row.end()) - row.begin());
        }
        EXPECT_NE(states, std::vector<float>(count * H));
    }
}

TEST_P(DraftHeadTest, IsLeftAsideUnlessAskedFor)
{
    const std::filesystem::path path = written(DraftKind::Random);
    const ModelFile file = ModelFile::open(path);
    const ModelSummary without = describeModel(file),
                       with = describeModel(file, 0, DType::F16, nullptr, true);
    EXPECT_EQ(without.problem.value_or(""), "");
    EXPECT_EQ(with.problem.value_or(""), "");
    EXPECT_EQ(without.draftHeads, 1);
    ASSERT_TRUE(without.plan && with.plan);
    EXPECT_GT(with.plan->weights(), without.plan->weights());
    EXPECT_GT(with.plan->kv(), without.plan->kv());
    EXPECT_EQ(without.plan->weights(), describeModel(m_golden).plan.value().weights());
    EXPECT_EQ(test::ModelFixture(path).model().config().drafts, 0);
}

TEST_P(DraftHeadTest, AModelWithoutOneSaysSo)
{
    const ModelSummary s = describeModel(ModelFile::open(m_golden), 0, DType::F16, nullptr, true);
    EXPECT_EQ(s.draftHeads, 0);
    EXPECT_NE(s.problem.value_or("").find("has no heads for drafting"), std::string::npos);
}

/// Tokens that follow a prompt, one at a time.
std::vector<TokenId> greedily(Session &session, std::vector<TokenId> ids, std::size_t count)
{
    std::vector<TokenId> tokens;
    while (tokens.size() < count) {
        tokens.push_back(session.appendGreedy(ids));
        ids = {tokens.back()};
    }
    return tokens;
}

/// The same with guesses; `right` of them were.
std::vector<TokenId> drafted(Session &session, std::vector<TokenId> ids, std::size_t count,
                             int most, std::size_t &right)
{
    std::vector<TokenId> tokens;
    right = 0;
    while (tokens.size() < count) {
        const std::size_t before = session.tokens().size() + ids.size();
        const std::vector<TokenId> known = session.appendDrafted(ids, most);
        EXPECT_EQ(session.tokens().size(), before + known.size() - 1);
        right += known.size() - 1;
        tokens.insert(tokens.end(), known.begin(), known.end());
        ids = {tokens.back()};
    }
    tokens.resize(count);
    return tokens;
}

TEST_P(DraftHeadTest, GuessesNeverChangeTheTokens)
{
    constexpr std::size_t kTokens = 24;
    for (const DraftKind kind : {DraftKind::Random, DraftKind::Often, DraftKind::Right}) {
        const test::ModelFixture model(written(kind), test::WithDrafts());
        const auto plain = model.session();
        std::size_t right = 0;
        if (!plain->canDraft()) {
            EXPECT_THROW(drafted(*plain, {5}, 2, 2, right), Error);
            continue;
        }
        const std::vector<TokenId> prompt{5, 17, 40, 9, 250, 3};
        const std::vector<TokenId> expected = greedily(*plain, prompt, kTokens);
        for (const int most : {0, 1, 3}) {
            const auto session = model.session();
            EXPECT_EQ(drafted(*session, prompt, kTokens, most, right), expected) << most;
            const std::size_t all =
                kTokens * static_cast<std::size_t>(most) / static_cast<std::size_t>(most + 1);
            const std::size_t fewest[] = {0, all - std::min<std::size_t>(all, 3), 1}; // by kind
            EXPECT_GE(right, most == 0 ? 0 : fewest[static_cast<int>(kind)]) << most;
            // Another turn, from the middle of the reply, on the same session and on a copy.
            session->truncate(prompt.size() + 4);
            std::vector<TokenId> rest = prompt;
            rest.insert(rest.end(), expected.begin(), expected.begin() + 6);
            const std::size_t there = session->tokens().size();
            const std::vector<TokenId> again(rest.begin() + static_cast<std::ptrdiff_t>(there),
                                             rest.end());
            const auto copy = session->fork();
            const std::vector<TokenId> tail(expected.begin() + 6, expected.end());
            EXPECT_EQ(drafted(*session, again, tail.size(), most, right), tail);
            EXPECT_EQ(drafted(*copy, again, tail.size(), most, right), tail);
        }
    }
}

TEST_P(DraftHeadTest, TheContextIsUsedToItsEnd)
{
    const test::ModelFixture model(written(DraftKind::Right), test::WithDrafts());
    const auto session = model.session(12);
    std::vector<TokenId> ids{5, 17, 40};
    if (!session->canDraft()) {
        EXPECT_THROW(session->appendDrafted(ids, 5), Error);
        return;
    }
    while (session->tokens().size() < 12) {
        ids = session->appendDrafted(ids, 5);
        ids.erase(ids.begin(), ids.end() - 1);
    }
    EXPECT_THROW(session->appendDrafted(ids, 5), Error);
}

TEST_P(DraftHeadTest, GoingBackGivesBackNoMoreThanAsked)
{
    const test::ModelFixture model(written(DraftKind::Random), test::WithDrafts());
    const auto session = model.session();
    if (!session->canDraft()) {
        EXPECT_THROW(session->appendDrafted(std::vector<TokenId>{5, 17, 40}, 2), Error);
        return;
    }
    session->appendGreedy(std::vector<TokenId>{5, 17, 40, 9});
    session->truncate(2);
    EXPECT_EQ(session->tokens().size(), 2u) << "nothing was drafted";
    const std::vector<TokenId> more{7, 9, 30};
    const std::vector<TokenId> drafted = session->appendDrafted(more, 2);
    session->truncate(3);
    EXPECT_EQ(session->tokens().size(), 3u) << "the heads' part is computed again when needed";
    session->appendGreedy(std::span(more).last(2));
    const auto fresh = model.session();
    EXPECT_EQ(session->appendDrafted(std::vector<TokenId>{drafted[0]}, 0),
              (std::vector<TokenId>{
                  fresh->appendGreedy(std::vector<TokenId>{5, 17, 7, 9, 30, drafted[0]})}));
}

INSTANTIATE_TEST_SUITE_P(Families, DraftHeadTest, testing::ValuesIn(test::draftNames()),
                         [](const auto &test) {
                             std::string name = test.param.golden;
                             std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                             return name;
                         });

/// Passes through a model's heads over one sequence from its first token on, a cache for all.
class Chain
{
public:
    explicit Chain(const Model &model)
        : m_model(model)
        , m_cache(model, 64, DType::F32)
    {}
    /// rows: what head joins with the tokens `following`; becomes what it gives. The last row's
    /// choice.
    TokenId run(std::int64_t head, std::size_t past, std::span<const TokenId> following,
                std::vector<float> &rows)
    {
        std::vector<std::int32_t> positions(following.size());
        std::iota(positions.begin(), positions.end(), static_cast<std::int32_t>(past));
        const auto count = static_cast<std::int64_t>(following.size());
        const BatchItem item{m_cache.layers(), 0, count, static_cast<std::int64_t>(past)};
        std::vector<float> given(rows.size());
        const std::int32_t last = positions.back() - positions.front();
        std::int32_t best = -1;
        m_model.draft(head, {following, positions, {&item, 1}}, rows,
                      {.rows = {&last, 1}, .greedy = {&best, 1}, .hidden = given});
        rows = std::move(given);
        return best;
    }
    /// Guesses after all of ids, of which the last is not in `rows`, the final rows of the others.
    std::vector<TokenId> guesses(std::vector<TokenId> ids, std::vector<float> rows,
                                 std::size_t count)
    {
        const auto heads = static_cast<std::size_t>(m_model.config().drafts);
        const auto hidden = static_cast<std::size_t>(m_model.config().hidden);
        const std::size_t tokens = ids.size() - 1;
        m_cache.reserve(m_model, 64, 0);
        for (std::size_t k = 0; k < count; ++k) {
            if (k >= heads)
                rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(hidden));
            const std::size_t past = k < heads ? 0 : tokens + k - heads;
            const auto following = std::span(ids).last(k < heads ? tokens : 1);
            ids.push_back(
                run(static_cast<std::int64_t>(std::min(k, heads - 1)), past, following, rows));
        }
        return {ids.end() - static_cast<std::ptrdiff_t>(count), ids.end()};
    }

private:
    const Model &m_model;
    KvCache m_cache;
};

// Each head takes what the one before it gives for all tokens; behind the last, it goes on itself.
TEST(DraftHeads, SeveralAreChained)
{
    for (const test::DraftNames &names : test::draftNames()) {
        const auto golden = test::goldenFolder(names.golden);
        if (names.golden != "llama-attn-bias" && names.golden != "deepseek-v3")
            continue;
        const test::TempDir dir;
        test::writeDraftFolder(golden, names, DraftKind::Random, dir / "model", 3);
        const test::ModelFixture model(dir / "model", test::WithDrafts());
        ASSERT_EQ(model.model().config().drafts, 3);
        for (const int most : {1, 2, 3, 5}) {
            const auto session = model.session();
            std::vector<TokenId> all{5, 17, 40, 9, 250, 3, 77}, next = all;
            if (most == 3)
                all = next = {5};
            for (int step = 0; step < 6; ++step) {
                if (step == 4) { // back, and on with another token
                    session->truncate(all.size() - 3);
                    all.resize(all.size() - 2);
                    all.back() = 33;
                    next = {33};
                }
                const std::size_t before = session->tokens().size();
                const std::vector<TokenId> known = session->appendDrafted(next, most);
                if (step != 0 && step != 4) {
                    std::vector<TokenId> told(all.begin(), all.end());
                    ASSERT_EQ(before, told.size() - 1);
                    const auto rows = model.session();
                    const std::vector<float> hidden =
                        rows->appendRows(std::span(told).first(before));
                    EXPECT_EQ(
                        std::vector<TokenId>(session->guesses().begin(), session->guesses().end()),
                        Chain(model.model()).guesses(told, hidden, static_cast<std::size_t>(most)))
                        << names.golden << ", " << most << ", step " << step;
                }
                all.insert(all.end(), known.begin(), known.end());
                next = {known.back()};
            }
        }
    }
}

TEST(DraftHeads, AllOfSeveralGuessRight)
{
    const test::DraftNames &names = test::draftNames().front();
    const auto golden = test::goldenFolder(names.golden);
    const test::TempDir dir;
    test::writeDraftFolder(golden, names, DraftKind::Right, dir / "model", 2);
    const test::ModelFixture model(dir / "model", test::WithDrafts());
    const auto session = model.session();
    session->appendDrafted(std::vector<TokenId>{5, 17, 40}, 4);
    for (const int most : {2, 1, 4})
        EXPECT_EQ(session->appendDrafted(std::vector<TokenId>{9}, most).size(),
                  static_cast<std::size_t>(most) + 1);
}

// The names of GGUF files: what a folder's head gives, a file's gives as well.
TEST(DraftHeads, OfGgufFiles)
{
    for (const test::DraftNames &names : test::draftNames()) {
        const auto golden = test::goldenFolder(names.golden);
        const bool own = names.golden == "exaone-moe";
        if (!own && names.golden != "glm4-moe")
            continue;
        const test::TempDir dir;
        test::writeDraftFolder(golden, names, DraftKind::Random, dir / "folder", own ? 1 : 2);
        const test::DraftNames asLayer = own ? test::draftAsLayer(names.golden, 4, true) : names;
        test::writeDraftFolder(golden, asLayer, DraftKind::Random, dir / "source", own ? 1 : 2);
        test::writeGgufOf(dir / "source", dir / "model.gguf");
        const test::ModelFixture folder(dir / "folder", test::WithDrafts());
        const test::ModelFixture gguf(dir / "model.gguf", test::WithDrafts());
        const Config &c = gguf.model().config();
        ASSERT_EQ(c.drafts, own ? 1 : 2);
        EXPECT_EQ(c.layers, folder.model().config().layers);
        const std::vector<TokenId> ids{5, 17, 40, 9, 250, 3, 77};
        const auto V = static_cast<std::size_t>(c.vocabulary);
        std::vector<float> hidden(ids.size() * static_cast<std::size_t>(c.hidden));
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        for (float &v : hidden)
            v = normal(random);
        std::vector<std::int32_t> rows(ids.size());
        std::iota(rows.begin(), rows.end(), 0);
        for (std::int64_t head = 0; head < c.drafts; ++head) {
            std::vector<std::vector<float>> results;
            for (const test::ModelFixture *model : {&folder, &gguf}) {
                KvCache cache(model->model(), 32, DType::F32);
                const BatchItem item{cache.layers(), 0, static_cast<std::int64_t>(ids.size()), 0};
                results.emplace_back(ids.size() * V);
                model->model().draft(head, {ids, rows, {&item, 1}}, hidden,
                                     {.rows = rows, .logits = results.back()});
            }
            EXPECT_LE(test::maxDifference(results[0], results[1]), 2e-4)
                << names.golden << ", head " << head;
        }
        EXPECT_EQ(test::ModelFixture(dir / "model.gguf").model().config().drafts, 0);
    }
}

} // namespace
} // namespace fireside
