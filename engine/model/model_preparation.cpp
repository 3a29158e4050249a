// Kernels that passes will need are made ready while the weights are on their way.
#include "engine/core/error.h"
#include "engine/core/thread_pool.h"
#include "engine/model/model.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

namespace fireside {
namespace {

/// Rows of passes that between them meet nearly every kernel: one token, short and longer prompts,
/// a whole chunk.
constexpr std::int64_t kUsualRows[] = {1, 16, 64, 128};
/// Those with kernels of their own besides, on some devices.
constexpr std::int64_t kOtherRows[] = {8, 24, 32, 48, 96};
/// Tokens of caches for which attention takes other kernels, or cuts them in another way.
constexpr std::int64_t kLongerCaches[] = {128, 256, 512, 16384};
/// Chats together that have kernels of their own; the largest is the most that are prepared for.
constexpr std::int64_t kChatsTogether[] = {4, 8, 16, 24, 32};
constexpr std::int64_t kMostChats = std::end(kChatsTogether)[-1];
/// Rows when a prompt joins all of them, and when several do.
constexpr std::int64_t kJoinedRows = 64, kMoreJoinedRows[] = {96, 128}, kPromptsJoinedRows = 256;
/// Caches for which their attention takes other kernels.
constexpr std::int64_t kManyChatsCaches[] = {128, 256, 512};

std::vector<std::int64_t> preparedRows(std::span<const std::int64_t> counts, std::int64_t most)
{
    std::vector<std::int64_t> rows;
    std::copy_if(counts.begin(), counts.end(), std::back_inserter(rows),
                 [most](std::int64_t count) { return count < most; });
    return rows;
}

} // namespace

/// What passes to prepare for are made of; their results are wanted by nobody.
struct Model::Preparation
{
    explicit Preparation(std::int64_t maxRows)
        : ids(static_cast<std::size_t>(maxRows))
        , positions(ids.size())
    {
        std::iota(positions.begin(), positions.end(), 0);
        std::iota(rows.begin(), rows.end(), 0);
        greedy = {.rows = std::span(rows).first(1), .greedy = std::span(greedyIds).first(1)};
        two = {.rows = std::span(rows).first(2), .greedy = std::span(greedyIds).first(2)};
        greedyAhead = greedy;
        greedyAhead.next = &next;
        top = candidates(1, true);
    }
    Preparation(const Preparation &) = delete;
    Preparation &operator=(const Preparation &) = delete;

    /// The best candidates of so many rows, with the next pass right behind or not.
    Output candidates(std::int64_t count, bool ahead) const
    {
        const auto each = static_cast<std::size_t>(count);
        return {.rows = std::span(rows).first(each),
                .topLogits = std::span(topLogits).first(each * kCandidates),
                .topIds = std::span(topIds).first(each * kCandidates),
                .next = ahead ? &next : nullptr};
    }

    std::vector<std::int32_t> ids, positions;
    std::vector<KvLayer> cache;                    // of one chunk, in place of the real ones
    static constexpr std::size_t kCandidates = 40; // as settings ask for unless changed
    std::array<std::int32_t, kMostChats> rows{};
    mutable std::array<std::int32_t, kMostChats> greedyIds{};
    mutable std::array<std::int32_t, kMostChats * kCandidates> topIds{};
    mutable std::array<float, kMostChats * kCandidates> topLogits{};
    NextIds next;
    // One token by itself is prepared as the two ways of choosing the next one need it.
    Output greedy, greedyAhead, top, two;
};

/// Asks for what a pass will need whose items have so many rows each.
void Model::preparePass(const Stage &stage, const Preparation &with,
                        std::span<const std::int64_t> itemRows, const Output &output,
                        std::int64_t maxKeys) const
{
    std::vector<BatchItem> items;
    std::int64_t rows = 0;
    for (const std::int64_t each : itemRows) {
        items.push_back({with.cache, rows, each, 0});
        rows += each;
    }
    const auto count = static_cast<std::size_t>(rows);
    const Batch batch{std::span(with.ids).first(count), std::span(with.positions).first(count),
                      items, output.rows};
    if (output.next != nullptr && !canAdvance(batch, output))
        return;
    stage.commands->begin(batch, {.prepareOnly = true, .maxKeys = maxKeys, .next = output.next});
    recordPart(*m_network, *stage.commands, stage, rows, output);
}

/// Any number of chats up to `most` by themselves; all of them with a prompt, which may be nearly
/// read.
void Model::prepareTogether(const Stage &stage, const Preparation &with, std::int64_t most) const
{
    std::vector<std::int64_t> items;
    const auto chats = [&](std::int64_t count, std::int64_t longest) {
        items.assign(static_cast<std::size_t>(count), 1);
        preparePass(stage, with, items, with.candidates(count, true), longest);
    };
    const auto joined = [&](std::int64_t rows, std::int64_t longest) {
        items.assign(static_cast<std::size_t>(most), 1);
        items.back() = rows - most + 1;
        if (rows <= m_maxRows)
            preparePass(stage, with, items, with.candidates(most, false), longest);
    };
    for (const std::int64_t longest : kManyChatsCaches) {
        if (most > kChatsTogether[0])
            chats(kChatsTogether[0], longest);
        chats(most, longest);
        joined(kJoinedRows, longest);
    }
    for (const std::int64_t count : std::span(kChatsTogether).subspan(1))
        if (count < most)
            chats(count, kManyChatsCaches[0]);
    for (const std::int64_t rows : kMoreJoinedRows)
        joined(rows, kManyChatsCaches[0]);
    joined(kPromptsJoinedRows, kManyChatsCaches[0]);
    items = {m_maxRows - 2, 2};
    preparePass(stage, with, items, with.candidates(1, false), kManyChatsCaches[0]);
}

void Model::prepareStage(const Stage &stage, const Preparation &with) const
{
    std::vector<std::int64_t> usual = preparedRows(kUsualRows, m_maxRows);
    usual.push_back(m_maxRows);
    // All are asked for before the first is waited for.
    for (const std::int64_t rows : usual)
        for (const Output *output : {&with.greedy, &with.greedyAhead, &with.top})
            preparePass(stage, with, std::span(&rows, 1), *output, 0);
    stage.commands->sync();
    // These come in the background, while the user types.
    for (const std::int64_t longest : kLongerCaches)
        for (const std::int64_t rows : usual)
            preparePass(stage, with, std::span(&rows, 1), with.greedy, longest);
    for (const std::int64_t rows : preparedRows(kOtherRows, m_maxRows))
        preparePass(stage, with, std::span(&rows, 1), with.greedy, 0);
    constexpr std::int64_t kTwoChats[] = {1, 1};
    if (m_maxRows > 1) {
        preparePass(stage, with, kTwoChats, with.two, 0);
        for (const std::int64_t longest : kLongerCaches)
            preparePass(stage, with, kTwoChats, with.two, longest);
    }
}

/// Calls `ask` with each stage that has anything to make ready.
void Model::prepareWith(FunctionRef<void(const Stage &, const Preparation &)> ask) const
{
    const DType kvType = m_kvType;
    const Config &c = config();
    if (c.encoder)
        return;                        // its passes are of all lengths, and take no cache
    std::size_t bytes = sizeof(float); // there may be states alone
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const KvShape shape = c.kv(i);
        for (const std::int64_t dim : {shape.keyDim, shape.valueDim})
            if (dim % info(kvType).blockElements != 0)
                return; // such a cache will be refused, with words, when it is asked for
        bytes = std::max(bytes, rowBytes(kvType, static_cast<std::size_t>(
                                                     std::max(shape.keyDim, shape.valueDim))) *
                                    static_cast<std::size_t>(shape.heads * m_maxRows));
    }
    for (const Stage &stage : m_stages) {
        // The CPU has nothing to make ready; on a software device compiling everything ahead takes
        // longer than it saves.
        const DeviceReport &report = stage.device->report();
        if (report.kind == BackendKind::Cpu || report.software)
            continue;
        const auto keys = stage.device->allocate(bytes, "a cache to prepare with");
        const auto values = stage.device->allocate(bytes, "a cache to prepare with");
        std::int64_t numbers = 0;
        for (std::int64_t i = 0; i < c.layers; ++i)
            numbers = std::max(numbers, c.stateSize(i));
        std::unique_ptr<Buffer> state;
        if (numbers > 0)
            state = stage.device->allocate(static_cast<std::size_t>(numbers) * sizeof(float),
                                           "a state to prepare with");
        Preparation with(m_maxRows);
        for (std::int64_t i = 0; i < c.layers; ++i) {
            const KvShape shape = c.kv(i);
            const bool withKeys = shape.heads > 0, withValues = withKeys && !shape.valuesInKeys;
            with.cache.push_back({withKeys ? keys.get() : nullptr,
                                  withValues ? values.get() : nullptr, kvType, shape.heads,
                                  m_maxRows, shape.keyDim, shape.valueDim, state.get(), numbers});
        }
        ask(stage, with);
        stage.commands->settle(); // the caches to prepare with go
    }
}

void Model::prepare() const
{
    prepareWith([this](const Stage &stage, const Preparation &with) { prepareStage(stage, with); });
}

void Model::prepareChats(std::int64_t chats) const
{
    const std::int64_t most = std::min(chats, kMostChats);
    if (most < 2 || m_maxRows <= most)
        return;
    settle();
    prepareWith([this, most](const Stage &stage, const Preparation &with) {
        prepareTogether(stage, with, most);
    });
}

} // namespace fireside
