#include "tests/conformance/bench.h"
#include "tests/conformance/statistics.h"
#include "tests/support/gguf_from_folder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/poison.h"
#include "tests/support/temp_dir.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Models with one broken weight: every way to a result ends in an error that names file and layer,
// also where passes run ahead of it.
namespace fireside::conformance {
namespace {

using test::ModelFixture;
using test::Poison;

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

class PoisonedModelsTest : public testing::TestWithParam<std::string>
{
protected:
    std::shared_ptr<Device> device() const { return target(GetParam()).shared(); }

    /// The error's text; empty when there was none.
    std::string failure(const std::function<void()> &way)
    {
        countCase(GetParam(), "poisoned models", "F16");
        return test::badInputOf(way);
    }
    void expectNamed(const std::string &text, const std::string &where)
    {
        EXPECT_NE(text.find(m_path.string()), std::string::npos) << text;
        EXPECT_NE(text.find(where), std::string::npos) << text;
    }

    const test::TempDir m_dir;
    const std::filesystem::path m_path = m_dir / "poisoned.gguf";
    const std::vector<TokenId> m_ids{300, 17, 401, 44, 5};
};

TEST_P(PoisonedModelsTest, EveryWayNamesFileAndPlace)
{
    const std::vector<Poison> all = test::poisonsOfF16();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Poison &poison = all[i];
        // Each place with each of three values; on software devices with one, and each tensor of
        // layers in one of two.
        const std::size_t place = i / 3;
        const bool inLayers = poison.tensor.rfind("blk.", 0) == 0;
        if (!target(GetParam()).thorough() && (i % 3 != place % 3 || (inLayers && place % 2 == 0)))
            continue;
        SCOPED_TRACE(poison.tensor + " = " + std::to_string(poison.value) + " on " + GetParam());
        test::writePoisoned(test::goldenGguf("f16"), poison, m_path);
        const ModelFixture model(m_path, {device()});
        const auto check = [&](const std::string &text) {
            if (!text.empty() || !std::isfinite(poison.value)) // the largest number may do no harm
                expectNamed(text, poison.where);
        };
        std::vector<float> row(model.vocabulary());
        check(failure([&] { model.session()->append(m_ids, row); }));
        check(failure([&] { model.session()->appendGreedy(m_ids); }));
        std::vector<Candidate> best(40);
        check(failure([&] { model.session()->appendTop(m_ids, best); }));
        check(failure([&] { model.session()->appendGreedy(std::span(m_ids).first(1)); }));
        const auto one = model.session(), two = model.session();
        Session *const both[] = {one.get(), two.get()};
        const std::vector<TokenId> ids{300, 300};
        std::vector<std::vector<float>> rows;
        check(failure([&] { appendBatch(both, ids, rows); }));
        check(failure([&] { appendBatchGreedy(both, ids); }));
    }
}

TEST_P(PoisonedModelsTest, ABrokenScaleOfEveryType)
{
    for (const std::string &type : test::goldenGgufNames()) {
        SCOPED_TRACE(type + " on " + GetParam());
        test::writePoisoned(test::goldenGguf(type), {"blk.0.attn_v.weight", 100, 0, kPoison, ""},
                            m_path);
        const ModelFixture model(m_path, {device()});
        // On software devices each type goes through the kernels of one row.
        if (target(GetParam()).thorough() || type == "f16" || type == "q4_k")
            expectNamed(failure([&] { model.session()->appendGreedy(m_ids); }), "first in layer 0");
        expectNamed(failure([&] { model.session()->appendGreedy(std::span(m_ids).first(1)); }),
                    "first in layer 0");
    }
}

// The embedding of a token that the reply comes to is broken: what was before it is right.
TEST_P(PoisonedModelsTest, PassesThatRunAheadStopThere)
{
    const auto folder = test::goldenFolder("qwen3");
    test::writeGgufOf(folder, m_dir / "whole.gguf");
    const std::vector<std::int32_t> prompt = test::goldenFolderLogits(folder).ids;
    std::vector<TokenId> reply;
    {
        const ModelFixture whole(m_dir / "whole.gguf", {device()});
        const auto session = whole.session(128);
        reply.push_back(session->appendGreedy(prompt));
        while (reply.size() < 30)
            reply.push_back(session->appendGreedy(std::span(reply).last(1)));
    }
    // The first token that comes for the first time after some passes.
    std::size_t at = 8;
    const auto known = [&](std::size_t i) {
        return std::count(reply.begin(), reply.begin() + static_cast<std::ptrdiff_t>(i), reply[i]) +
                   std::count(prompt.begin(), prompt.end(), reply[i]) >
               0;
    };
    while (at < reply.size() && known(at))
        ++at;
    ASSERT_LT(at, reply.size());
    test::writePoisoned(m_dir / "whole.gguf",
                        {"token_embd.weight", static_cast<std::size_t>(reply[at]), 5, kPoison, ""},
                        m_path);
    const ModelFixture broken(m_path, {device()});
    for (const bool greedy : {true, false}) {
        const auto session = broken.session(128);
        std::vector<Candidate> best(40);
        const NextIds choice; // the best one
        std::vector<TokenId> got;
        const std::string text = failure([&] {
            std::vector<TokenId> ids(prompt.begin(), prompt.end());
            while (got.size() < reply.size()) {
                const Session::Next next{choice, 60};
                if (greedy)
                    got.push_back(session->appendGreedy(ids, {}, {}, &next));
                else
                    session->appendTop(ids, best, {}, {}, &next);
                if (!greedy)
                    got.push_back(best[0].id);
                ids.assign(1, got.back());
            }
        });
        expectNamed(text, "first in the embeddings");
        EXPECT_EQ(got, std::vector<TokenId>(reply.begin(),
                                            reply.begin() + static_cast<std::ptrdiff_t>(at) + 1));
        EXPECT_EQ(session->tokens().size(), prompt.size() + at);
        EXPECT_EQ(broken.model().passesAhead(), 0);
        // The session goes on from before it.
        session->truncate(prompt.size());
        EXPECT_EQ(session->appendGreedy(std::span(reply).first(1)), reply[1]);
    }
}

FIRESIDE_ON_EVERY_DEVICE(PoisonedModelsTest);

} // namespace
} // namespace fireside::conformance
