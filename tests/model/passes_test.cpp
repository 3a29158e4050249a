// The ways through a model must agree: chunks, batches, splits over devices, forks, cancelled
// passes.
#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/model/config.h"
#include "tests/support/fake_device.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <numeric>
#include <stop_token>

namespace fireside {
namespace {

using test::ModelFixture;

double relativeError(std::span<const float> a, std::span<const float> b)
{
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        difference += d * d;
        norm += static_cast<double>(b[i]) * static_cast<double>(b[i]);
    }
    return std::sqrt(difference / norm);
}

std::vector<TokenId> someIds(std::size_t count, TokenId start = 7)
{
    std::vector<TokenId> ids(count);
    for (std::size_t i = 0; i < count; ++i)
        ids[i] = static_cast<TokenId>((static_cast<std::size_t>(start) + 37 * i) % 500);
    return ids;
}

class PassesTest : public testing::Test
{
protected:
    std::vector<float> lastRow(Session &session, std::span<const TokenId> ids)
    {
        std::vector<float> row(m_model.vocabulary(), std::numeric_limits<float>::quiet_NaN());
        session.append(ids, row);
        return row;
    }
    ModelFixture m_model{test::goldenGguf("f16")};
};

TEST_F(PassesTest, PiecesGiveWhatOneChunkGives)
{
    const auto ids = someIds(41);
    const auto whole = lastRow(*m_model.session(), ids);
    for (const std::size_t piece : {1u, 2u, 5u, 16u, 40u}) {
        const auto session = m_model.session();
        std::vector<float> row;
        for (std::size_t at = 0; at < ids.size(); at += piece)
            row = lastRow(*session, std::span(ids).subspan(at, std::min(piece, ids.size() - at)));
        EXPECT_LE(relativeError(row, whole), 1e-5) << "pieces of " << piece;
    }
}

TEST_F(PassesTest, PromptsLongerThanAChunk)
{
    const auto ids = someIds(static_cast<std::size_t>(kPromptChunk) + 70);
    const auto longSession = m_model.session(400);
    std::vector<int> progress;
    std::vector<float> whole(m_model.vocabulary());
    longSession->append(ids, whole, [&](int done) { progress.push_back(done); });
    EXPECT_EQ(progress,
              (std::vector<int>{static_cast<int>(kPromptChunk), static_cast<int>(ids.size())}));

    const auto stepped = m_model.session(400);
    std::vector<float> row;
    for (const TokenId id : ids)
        row = lastRow(*stepped, std::span(&id, 1));
    EXPECT_LE(relativeError(row, whole), 1e-5);
}

TEST_F(PassesTest, ABatchOverSessionsGivesWhatEachGivesAlone)
{
    // Caches of different length and capacity; more sessions than one pass can give rows.
    std::vector<std::unique_ptr<Session>> batch, alone;
    std::vector<Session *> pointers;
    std::vector<TokenId> next;
    for (std::size_t i = 0; i < static_cast<std::size_t>(kMaxOutputRows) + 3; ++i) {
        const auto ids = someIds(1 + 3 * i % 29, static_cast<TokenId>(11 * i));
        batch.push_back(m_model.session(static_cast<int>(ids.size() + 1 + i)));
        alone.push_back(m_model.session(40));
        lastRow(*batch.back(), ids);
        lastRow(*alone.back(), ids);
        pointers.push_back(batch.back().get());
        next.push_back(static_cast<TokenId>((3 + 17 * i) % 500));
    }
    std::vector<std::vector<float>> rows;
    appendBatch(pointers, next, rows);
    for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_LE(relativeError(rows[i], lastRow(*alone[i], std::span(&next[i], 1))), 1e-5) << i;
        EXPECT_EQ(batch[i]->tokens().size(), alone[i]->tokens().size());
        batch[i]->truncate(batch[i]->tokens().size() - 1);
        const auto likeliest = std::max_element(rows[i].begin(), rows[i].end());
        rows[i].assign(1, static_cast<float>(likeliest - rows[i].begin()));
    }
    const std::vector<TokenId> best = appendBatchGreedy(pointers, next);
    for (std::size_t i = 0; i < alone.size(); ++i)
        EXPECT_EQ(static_cast<float>(best[i]), rows[i][0]) << i;
}

TEST_F(PassesTest, ASplitOverDevicesChangesNothing)
{
    const auto ids = someIds(21);
    const auto whole = lastRow(*m_model.session(), ids);
    ASSERT_EQ(m_model.layers(), 2);
    for (const std::vector<int> &layers : {std::vector<int>{0, 1}, {1, 0}, {1, 1}, {2, 1}}) {
        const ModelFixture split(test::goldenGguf("f16"), layers);
        const auto session = split.session();
        std::vector<float> row(split.vocabulary());
        session->append(ids, row);
        EXPECT_LE(relativeError(row, whole), 1e-6);
    }
}

/// A model on two devices of one thread each, that say what they are asked for.
struct SplitInTwo
{
    using Script = test::DeviceScript;
    explicit SplitInTwo(std::filesystem::path model = test::goldenGguf("f16"),
                        std::vector<int> layers = {0, 1})
        : path(std::move(model))
        , layerDevices(std::move(layers))
    {}
    ModelFixture model() const
    {
        std::vector<std::shared_ptr<Device>> devices;
        for (const auto &script : scripts)
            devices.push_back(test::fakeDevice(openCpu({.threads = 1}), probeCpu(), script));
        return {path, std::move(devices), layerDevices};
    }
    std::filesystem::path path;
    std::vector<int> layerDevices;
    std::array<std::shared_ptr<Script>, 2> scripts{std::make_shared<Script>(),
                                                   std::make_shared<Script>()};
};

/// The second device waits with its first pass until the first one has begun its second.
TEST_F(PassesTest, DevicesWorkOnDifferentChunksAtTheSameTime)
{
    using At = test::DeviceScript::At;
    const SplitInTwo split;
    std::promise<void> ahead;
    bool met = false;
    split.scripts[0]->seen = [&](At at, int count) {
        if (at == At::Pass && count == 2)
            ahead.set_value();
    };
    split.scripts[1]->seen = [&, waited = ahead.get_future().share()](At at, int count) {
        if (at == At::Pass && count == 1)
            met = waited.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
    };
    const ModelFixture model = split.model();
    const auto session = model.session(1000);
    const auto ids = someIds(3 * static_cast<std::size_t>(kPromptChunk) + 70);
    std::vector<float> row(model.vocabulary());
    std::vector<int> progress;
    session->append(ids, row, [&](int done) { progress.push_back(done); });
    EXPECT_TRUE(met);
    const int chunk = kPromptChunk;
    EXPECT_EQ(progress, (std::vector{chunk, 2 * chunk, 3 * chunk, static_cast<int>(ids.size())}));
    EXPECT_EQ(row, lastRow(*m_model.session(1000), ids)) << "the same, bit by bit";
    EXPECT_TRUE(
        std::equal(ids.begin(), ids.end(), session->tokens().begin(), session->tokens().end()));
}

TEST_F(PassesTest, APromptOverDevicesThatIsStoppedOrFailsKeepsWholeChunks)
{
    const auto chunk = static_cast<std::size_t>(kPromptChunk);
    auto ids = someIds(4 * chunk);
    for (TokenId &id : ids)
        id %= 300; // the smaller vocabulary of the two
    // A recurrent state can only go back to where it was kept.
    for (const bool states : {false, true}) {
        const auto path = states ? test::goldenFolder("mamba2") : test::goldenGguf("f16");
        for (int at = 1; at <= 4; ++at) {
            SCOPED_TRACE(path.string() + " chunk " + std::to_string(at));
            const SplitInTwo split(path, states ? std::vector{0, 1, 1} : std::vector{0, 1});
            const ModelFixture model = split.model();
            const auto session = model.session(2000);
            std::vector<float> row(model.vocabulary());
            std::stop_source stop;
            const auto until = [&](int done) {
                if (done == at * kPromptChunk)
                    stop.request_stop();
            };
            try {
                session->append(ids, row, until, stop.get_token());
                EXPECT_EQ(at, 4) << "not stopped";
            } catch (const Error &error) {
                EXPECT_EQ(error.kind(), ErrorKind::Cancelled) << error.what();
            }
            const std::size_t kept = session->tokens().size();
            EXPECT_EQ(kept, states && at < 4 ? 0 : static_cast<std::size_t>(at) * chunk);
            if (kept < ids.size())
                session->append(std::span(ids).subspan(kept), row);
            std::vector<float> undisturbed(model.vocabulary());
            ModelFixture(path).session(2000)->append(ids, undisturbed);
            EXPECT_EQ(row, undisturbed);
        }
    }
    for (const int device : {0, 1}) {
        const SplitInTwo split;
        const ModelFixture model = split.model();
        const auto session = model.session(2000);
        split.scripts[static_cast<std::size_t>(device)]->fail(
            {.at = test::DeviceScript::At::Sync, .in = 3});
        std::vector<float> row(model.vocabulary());
        try {
            session->append(ids, row);
            ADD_FAILURE() << "device " << device << " did not fail";
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::Device) << error.what();
        }
        EXPECT_LE(session->tokens().size(), 2 * chunk);
        EXPECT_EQ(session->tokens().size() % chunk, 0u);
    }
}

TEST_F(PassesTest, ThreadsChangeNothingButRounding)
{
    const auto ids = someIds(33);
    const auto whole = lastRow(*m_model.session(), ids);
    for (const int threads : {1, 3, 4}) {
        const ModelFixture other(test::goldenGguf("f16"), {}, threads);
        const auto session = other.session();
        std::vector<float> row(other.vocabulary());
        session->append(ids, row);
        EXPECT_LE(relativeError(row, whole), 1e-5) << threads << " threads";
    }
}

TEST_F(PassesTest, GreedyOnTheDeviceIsTheArgmaxOfTheLogits)
{
    const auto a = m_model.session(), b = m_model.session();
    TokenId id = 42;
    for (int i = 0; i < 20; ++i) {
        const auto row = lastRow(*a, std::span(&id, 1));
        const auto best = std::max_element(row.begin(), row.end()) - row.begin();
        ASSERT_EQ(b->appendGreedy(std::span(&id, 1)), best);
        id = static_cast<TokenId>(best);
    }
}

TEST_F(PassesTest, TruncateAndForkContinueFromTheSamePrefix)
{
    const auto ids = someIds(30);
    const auto session = m_model.session();
    lastRow(*session, ids);
    const auto fork = session->fork();
    session->truncate(12);
    EXPECT_EQ(session->tokens().size(), 12u);
    EXPECT_EQ(fork->tokens().size(), 30u);

    const auto other = someIds(5, 99);
    const auto fresh = m_model.session();
    lastRow(*fresh, std::span(ids).first(12));
    EXPECT_LE(relativeError(lastRow(*session, other), lastRow(*fresh, other)), 1e-6);

    const auto again = m_model.session();
    lastRow(*again, ids);
    EXPECT_LE(relativeError(lastRow(*fork, other), lastRow(*again, other)), 1e-6);
}

TEST_F(PassesTest, AStoppedPassLeavesTheSessionAsItWas)
{
    const auto ids = someIds(10), more = someIds(5, 200);
    const auto session = m_model.session();
    lastRow(*session, ids);
    std::stop_source stop;
    stop.request_stop();
    std::vector<float> row(m_model.vocabulary());
    try {
        session->append(more, row, {}, stop.get_token());
        FAIL() << "not cancelled";
    } catch (const Error &e) {
        EXPECT_EQ(e.kind(), ErrorKind::Cancelled);
    }
    EXPECT_EQ(session->tokens().size(), ids.size());
    const auto fresh = m_model.session();
    lastRow(*fresh, ids);
    EXPECT_LE(relativeError(lastRow(*session, more), lastRow(*fresh, more)), 1e-6);
}

TEST_F(PassesTest, BadTokensAndAFullContextAreErrors)
{
    const auto session = m_model.session(8);
    std::vector<float> row(m_model.vocabulary());
    for (const TokenId bad : {-1, static_cast<TokenId>(m_model.vocabulary()), 1 << 30})
        EXPECT_THROW(session->append(std::span(&bad, 1), row), Error);
    const auto expectFull = [&](const std::vector<TokenId> &ids) {
        try {
            session->append(ids, row);
            ADD_FAILURE() << ids.size() << " tokens more were taken";
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::BadInput);
            EXPECT_STREQ(error.what(), "the context of 8 tokens is full");
        }
    };
    expectFull(someIds(9));
    EXPECT_TRUE(session->tokens().empty());
    session->append(someIds(8), row);
    expectFull(someIds(1));
    EXPECT_THROW(m_model.session(0), Error);
    EXPECT_THROW(m_model.session(8, DType::Q4_0), Error);
}

TEST_F(PassesTest, ALoadThatIsStoppedEnds)
{
    const ModelFile file = ModelFile::open(test::goldenGguf("f16"));
    std::vector<std::shared_ptr<Device>> devices;
    devices.push_back(openCpu({.threads = 1}));
    Placement placement;
    placement.layers.assign(static_cast<std::size_t>(m_model.layers()), 0);
    std::stop_source stop;
    stop.request_stop();
    try {
        const Model model(file, std::move(devices), placement, kPromptChunk, DType::F16, {},
                          stop.get_token());
        FAIL() << "not cancelled";
    } catch (const Error &e) {
        EXPECT_EQ(e.kind(), ErrorKind::Cancelled);
    }
}

TEST_F(PassesTest, OpTimesCountEveryOp)
{
    m_model.model().takeOpTimes();
    lastRow(*m_model.session(), someIds(4));
    const std::vector<OpTime> times = m_model.model().takeOpTimes();
    const auto attention = std::find_if(times.begin(), times.end(), [](const OpTime &t) {
        return std::string_view(t.op) == "attention";
    });
    ASSERT_NE(attention, times.end());
    EXPECT_EQ(attention->calls, m_model.layers());
    EXPECT_GT(attention->seconds, 0);
}

} // namespace
} // namespace fireside
