// A session's cache grows with its conversation and keeps what it holds.
#include "engine/core/error.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fireside {
namespace {

using test::ModelFixture;

/// A CPU device whose allocations can be made to fail.
class ScarceDevice final : public Device
{
public:
    struct Limits
    {
        int left = 1'000'000;                  // allocations that still succeed
        std::size_t largest = ~std::size_t{0}; // bytes of one
    };
    explicit ScarceDevice(std::shared_ptr<Limits> limits)
        : m_limits(std::move(limits))
    {}
    const DeviceReport &report() const override { return m_device->report(); }
    std::unique_ptr<Buffer> allocate(std::size_t bytes, std::string_view what,
                                     MemoryPurpose purpose) override
    {
        if (bytes > m_limits->largest || m_limits->left <= 0)
            throw Error(ErrorKind::Memory, "not enough memory for " + std::string(what));
        --m_limits->left;
        return m_device->allocate(bytes, what, purpose);
    }
    std::unique_ptr<Weight> addWeight(const WeightSource &source) override
    {
        return m_device->addWeight(source);
    }
    void finishWeights(std::stop_token stop) override { m_device->finishWeights(stop); }
    void copy(const Buffer &from, std::size_t fromOffset, Buffer &to, std::size_t toOffset,
              std::size_t bytes) override
    {
        // Ranges that overlap are undefined on some devices.
        EXPECT_TRUE(&from != &to || fromOffset + bytes <= toOffset ||
                    toOffset + bytes <= fromOffset)
            << bytes << " bytes from " << fromOffset << " to " << toOffset;
        m_device->copy(from, fromOffset, to, toOffset, bytes);
    }
    void read(std::span<const BufferRead> parts) override { m_device->read(parts); }
    void write(std::span<const BufferWrite> parts) override { m_device->write(parts); }
    void zero(std::span<Buffer *const> buffers) override { m_device->zero(buffers); }
    std::unique_ptr<Commands> commands(std::size_t scratchBytes, std::int64_t maxRows) override
    {
        return m_device->commands(scratchBytes, maxRows);
    }
    bool supports(DType type) const override { return m_device->supports(type); }

private:
    std::unique_ptr<Device> m_device = openCpu({.threads = 2});
    std::shared_ptr<Limits> m_limits;
};

std::vector<TokenId> growingIds(std::size_t count)
{
    std::vector<TokenId> ids(count);
    for (std::size_t i = 0; i < count; ++i)
        ids[i] = static_cast<TokenId>((7 + 37 * i) % 500);
    return ids;
}

class KvGrowthTest : public testing::Test
{
protected:
    std::vector<float> lastRow(Session &session, std::span<const TokenId> ids)
    {
        std::vector<float> row(m_model.vocabulary(), NAN);
        session.append(ids, row);
        return row;
    }
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

    std::shared_ptr<ScarceDevice::Limits> m_limits = std::make_shared<ScarceDevice::Limits>();
    ModelFixture m_model{test::goldenGguf("f16"),
                         [this] { return std::make_shared<ScarceDevice>(m_limits); }};
    const std::vector<TokenId> m_ids = growingIds(700);
};

TEST_F(KvGrowthTest, MemoryFollowsTheConversation)
{
    const auto session = m_model.session(900), whole = m_model.session(900);
    const std::size_t first = session->kvBytes();
    lastRow(*session, std::span(m_ids).first(256));
    EXPECT_EQ(session->kvBytes(), first);
    lastRow(*session, std::span(m_ids).subspan(256, 1));
    EXPECT_EQ(session->kvBytes(), 2 * first);
    const auto pieces = lastRow(*session, std::span(m_ids).subspan(257));
    EXPECT_EQ(session->kvBytes(), first / 256 * 900) << "no more than the capacity";
    const auto expected = lastRow(*whole, m_ids);
    EXPECT_EQ(whole->kvBytes(), session->kvBytes());
    EXPECT_LE(relativeError(pieces, expected), 1e-5);
    EXPECT_THROW(lastRow(*session, growingIds(201)), Error);
    for (const int capacity : {100, 300, 384}) // nothing little is left for later
        EXPECT_EQ(m_model.session(capacity)->kvBytes(),
                  first / 256 * static_cast<std::size_t>(capacity));
}

TEST_F(KvGrowthTest, EveryTypeKeepsItsContents)
{
    // Pieces of a pass's length: OpenBLAS adds up in an order that hangs on the number of rows, and
    // what a cache of 8 bits makes of the last bit is no matter of growing.
    constexpr std::size_t kPass = 256;
    for (const DType type : {DType::F32, DType::F16, DType::Q8_0}) {
        const auto session = m_model.session(2000, type), whole = m_model.session(2000, type);
        for (const std::size_t at : {0 * kPass, 1 * kPass})
            lastRow(*session, std::span(m_ids).subspan(at, kPass));
        const auto fork = session->fork();
        const auto grown = lastRow(*session, std::span(m_ids).subspan(2 * kPass));
        EXPECT_LE(relativeError(grown, lastRow(*whole, m_ids)), 1e-5) << name(type);
        EXPECT_LE(relativeError(lastRow(*fork, std::span(m_ids).subspan(2 * kPass)), grown), 1e-5)
            << name(type);
    }
}

TEST_F(KvGrowthTest, AFailureLeavesTheSessionUsable)
{
    ASSERT_GE(m_model.layers(), 2);
    const auto session = m_model.session(2000), whole = m_model.session(2000);
    lastRow(*session, std::span(m_ids).first(256));
    for (const int enough : {0, 1, 2}) { // before, inside and after the first layer
        m_limits->left = enough;
        try {
            lastRow(*session, std::span(m_ids).subspan(256, 1));
            FAIL() << "grew with " << enough << " allocations";
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::Memory);
            EXPECT_NE(std::string(error.what()).find("cache"), std::string::npos);
        }
        EXPECT_EQ(session->tokens().size(), 256u);
    }
    session->truncate(255);
    lastRow(*session, std::span(m_ids).subspan(255, 1)); // fits as before
    m_limits->left = 1'000'000;
    const auto after = lastRow(*session, std::span(m_ids).subspan(256, 100));
    EXPECT_LE(relativeError(after, lastRow(*whole, std::span(m_ids).first(356))), 1e-5);
}

TEST_F(KvGrowthTest, TakesWhatIsNeededWhereDoublingDoesNotFit)
{
    const auto session = m_model.session(2000);
    const std::size_t first = session->kvBytes();
    const std::size_t token = first / 256 / static_cast<std::size_t>(2 * m_model.layers());
    lastRow(*session, std::span(m_ids).first(512));
    EXPECT_EQ(session->kvBytes(), 2 * first);
    m_limits->largest = 768 * token;
    lastRow(*session, std::span(m_ids).subspan(512, 1));
    EXPECT_EQ(session->kvBytes(), 3 * first);
}

} // namespace
} // namespace fireside
