// Files with one broken weight: every way to a result ends in an error that names file and place.
#include "tests/cpu/isa_test.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/poison.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace fireside {
namespace {

using test::ModelFixture;
using test::Poison;

class PoisonedTest : public IsaTest
{
protected:
    /// Every way of computing with a session of its own.
    std::vector<std::pair<const char *, std::function<void(const ModelFixture &)>>> ways()
    {
        return {
            {"logits",
             [this](const ModelFixture &m) {
                 std::vector<float> row(m.vocabulary());
                 m.session()->append(m_ids, row);
             }},
            {"all logits", [this](const ModelFixture &m) { test::allLogits(*m.session(), m_ids); }},
            {"greedy", [this](const ModelFixture &m) { m.session()->appendGreedy(m_ids); }},
            {"the best",
             [this](const ModelFixture &m) {
                 std::vector<Candidate> best(40);
                 m.session()->appendTop(m_ids, best);
             }},
            {"several chats", [this](const ModelFixture &m) { inABatch(m, false); }},
            {"several greedy chats", [this](const ModelFixture &m) { inABatch(m, true); }},
        };
    }
    void inABatch(const ModelFixture &model, bool greedy)
    {
        std::vector<std::unique_ptr<Session>> owned;
        std::vector<Session *> sessions;
        const std::vector<TokenId> ids(3, 300);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            owned.push_back(model.session());
            sessions.push_back(owned.back().get());
        }
        std::vector<std::vector<float>> rows;
        if (greedy)
            appendBatchGreedy(sessions, ids);
        else
            appendBatch(sessions, ids, rows);
    }

    const test::TempDir m_dir;
    const std::vector<TokenId> m_ids{300, 17, 401, 44, 5};
};

TEST_P(PoisonedTest, EveryWayNamesFileAndPlace)
{
    const std::filesystem::path path = m_dir / "poisoned.gguf";
    int overflows = 0;
    for (const Poison &poison : test::poisonsOfF16()) {
        test::writePoisoned(test::goldenGguf("f16"), poison, path);
        const ModelFixture model(path);
        for (const auto &[way, run] : ways()) {
            SCOPED_TRACE(poison.tensor + " = " + std::to_string(poison.value) + ", " + way);
            const std::string text = test::badInputOf([&] { run(model); });
            // The largest number need not become one too large.
            if (text.empty() && std::isfinite(poison.value))
                continue;
            overflows += std::isfinite(poison.value) ? 1 : 0;
            EXPECT_NE(text.find(path.string()), std::string::npos) << text;
            EXPECT_NE(text.find(poison.where), std::string::npos) << text;
        }
    }
    EXPECT_GT(overflows, 0);
}

TEST_P(PoisonedTest, ABrokenScaleOfEveryType)
{
    const std::filesystem::path path = m_dir / "poisoned.gguf";
    for (const std::string &type : test::goldenGgufNames())
        for (const float value : {kNaN, kInfinity})
            for (const char *tensor : {"blk.0.attn_v.weight", "blk.0.ffn_down.weight"}) {
                test::writePoisoned(test::goldenGguf(type), {tensor, 100, 0, value, ""}, path);
                const ModelFixture model(path);
                for (const auto &[way, run] : ways()) {
                    SCOPED_TRACE(type + ' ' + tensor + " = " + std::to_string(value) + ", " + way);
                    EXPECT_NE(test::badInputOf([&] { run(model); }).find("first in layer 0"),
                              std::string::npos);
                }
            }
}

TEST_P(PoisonedTest, TheSessionStaysAsItWas)
{
    // Token 77 alone is broken: with tied weights each row has its logit.
    test::writePoisoned(test::goldenGguf("f16"), {"token_embd.weight", 77, 9, kNaN, ""},
                        m_dir / "poisoned.gguf");
    const ModelFixture model(m_dir / "poisoned.gguf");
    const auto session = model.session();
    EXPECT_FALSE(test::badInputOf([&] { session->appendGreedy(m_ids); }).empty());
    EXPECT_TRUE(session->tokens().empty());
}

TEST_P(PoisonedTest, ASplitOverDevicesNamesTheLayerToo)
{
    test::writePoisoned(test::goldenGguf("f16"), {"blk.1.ffn_up.weight", 3, 3, kNaN, ""},
                        m_dir / "poisoned.gguf");
    const ModelFixture model(m_dir / "poisoned.gguf", {0, 1});
    EXPECT_NE(
        test::badInputOf([&] { model.session()->appendGreedy(m_ids); }).find("first in layer 1"),
        std::string::npos);
}

FIRESIDE_EVERY_ISA(PoisonedTest);

} // namespace
} // namespace fireside
