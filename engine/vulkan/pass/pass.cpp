#include "engine/vulkan/pass/pass.h"

#include <algorithm>
#include <bit>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kMaxKeptPasses = 48;

} // namespace

std::int64_t roundedKeys(std::int64_t longest)
{
    constexpr std::uint64_t kFewest = 64;
    return static_cast<std::int64_t>(
        std::max(kFewest, std::bit_ceil(static_cast<std::uint64_t>(longest))));
}

PassForm formOf(std::uint64_t name, const PassTables &tables, std::int64_t maxKeys)
{
    PassForm form;
    form.name = name;
    form.rows = tables.rows();
    form.outputRows = static_cast<std::int64_t>(tables.hostOutputRows().size());
    for (const BatchItem &item : tables.items())
        form.itemRows.push_back(item.rows);
    form.maxKeys = maxKeys;
    for (const KvLayer &layer : tables.layers())
        form.layers.push_back(
            {layer.keys != nullptr, layer.dtype, layer.kvHeads, layer.headDim, layer.valueDim});
    return form;
}

void Pass::reset()
{
    recording.reset(form.timed);
    complete = false;
    replayable = true;
    kept = {};
    mirrored = {};
    advance.reset();
    tableRows.reset();
    outputFrom.reset();
}

PassStore::PassStore(Gpu &gpu)
    : m_gpu(gpu)
    , m_other(gpu)
{}

Pass *PassStore::find(const PassForm &form)
{
    const auto found =
        std::find_if(m_kept.begin(), m_kept.end(), [&](const std::unique_ptr<Pass> &pass) {
            return pass->complete && pass->replayable && pass->form == form;
        });
    if (found == m_kept.end())
        return nullptr;
    if ((*found)->recording.cutTooCoarsely()) {
        (*found)->replayable = false;
        return nullptr;
    }
    m_kept.splice(m_kept.begin(), m_kept, found);
    return m_kept.front().get();
}

Pass &PassStore::start(PassForm form)
{
    if (form.name == 0) {
        m_other.form = std::move(form);
        m_other.reset();
        return m_other;
    }
    // What was never finished, or turned out not to be replayable, is used again.
    auto place = std::find_if(m_kept.begin(), m_kept.end(), [](const std::unique_ptr<Pass> &pass) {
        return !pass->complete || !pass->replayable;
    });
    if (place == m_kept.end() && m_kept.size() >= kMaxKeptPasses)
        place = std::prev(m_kept.end());
    if (place == m_kept.end())
        m_kept.push_front(std::make_unique<Pass>(m_gpu));
    else
        m_kept.splice(m_kept.begin(), m_kept, place);
    Pass &pass = *m_kept.front();
    pass.form = std::move(form);
    pass.reset();
    return pass;
}

void PassStore::forget(const Pass &pass)
{
    for (const std::unique_ptr<Pass> &kept : m_kept)
        if (kept.get() == &pass)
            kept->replayable = false;
}

} // namespace fireside::vulkan
