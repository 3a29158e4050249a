#include "engine/generate/recurrent_states.h"

#include "engine/core/error.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

namespace fireside {
namespace {

/// The copy that saves the fewest tokens, on average over the places where an edit may begin: three
/// of four close to the end (their density falls with the distance), one anywhere. A copy serves
/// the edits between it and the next one. saved: rising, before `tokens`.
std::size_t leastUseful(std::span<const std::size_t> saved, std::size_t tokens)
{
    constexpr double kNear = 8, kShareNearEnd = 0.75; // tokens; of edits
    const auto end = static_cast<double>(tokens);
    std::size_t least = 0;
    double best = 0;
    for (std::size_t i = 0; i < saved.size(); ++i) {
        const auto before = static_cast<double>(i == 0 ? 0 : saved[i - 1]);
        const auto at = static_cast<double>(saved[i]);
        const auto after = static_cast<double>(i + 1 == saved.size() ? tokens : saved[i + 1]);
        const double nearEnd =
            std::log((end - at + kNear) / (end - after + kNear)) / std::log(1 + end / kNear);
        const double anywhere = (after - at) / end;
        const double use =
            (at - before) * (kShareNearEnd * nearEnd + (1 - kShareNearEnd) * anywhere);
        if (i == 0 || use < best) {
            least = i;
            best = use;
        }
    }
    return least;
}

} // namespace

std::size_t RecurrentStates::bytesOf(const Layer &layer)
{
    return static_cast<std::size_t>(layer.numbers) * sizeof(float);
}

RecurrentStates::RecurrentStates(std::vector<Layer> layers, std::size_t most)
    : m_layers(std::move(layers))
    , m_most(most)
    , m_states(m_layers.size())
{
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const Layer &layer = m_layers[i];
        if (layer.numbers == 0)
            continue;
        m_states[i] =
            layer.device->allocate(bytesOf(layer), "a recurrent state", MemoryPurpose::States);
        if (m_parts.empty() || m_parts.back().device != layer.device)
            m_parts.push_back({layer.device, i, i, 0});
        m_parts.back().end = i + 1;
        m_parts.back().bytes += bytesOf(layer);
        m_bytes += bytesOf(layer);
    }
}

std::size_t RecurrentStates::bytes() const
{
    return m_bytes * (1 + m_saved.size() + m_spare.size());
}

std::size_t RecurrentStates::goBack(std::size_t tokens)
{
    if (!any())
        return tokens;
    const auto later = std::find_if(m_saved.begin(), m_saved.end(),
                                    [tokens](const Copy &copy) { return copy.tokens > tokens; });
    std::move(later, m_saved.end(), std::back_inserter(m_spare));
    m_saved.erase(later, m_saved.end());
    m_back = lastSaved();
    return *m_back;
}

void RecurrentStates::begin()
{
    if (!m_back)
        return;
    if (*m_back == 0)
        zero();
    else
        move(*this, m_saved.back(), Way::Restore);
    m_back.reset();
}

void RecurrentStates::zero()
{
    for (const Part &part : m_parts) {
        std::vector<Buffer *> buffers;
        for (std::size_t i = part.first; i < part.end; ++i)
            if (m_states[i])
                buffers.push_back(m_states[i].get());
        part.device->zero(buffers);
    }
}

void RecurrentStates::save(std::size_t tokens)
{
    if (!any() || lastSaved() == tokens)
        return;
    std::optional<Copy> copy = memoryForCopy(tokens);
    if (!copy)
        return;
    try {
        move(*this, *copy, Way::Save);
    } catch (...) {
        m_spare.push_back(std::move(*copy));
        throw;
    }
    m_saved.push_back(std::move(*copy));
}

std::optional<RecurrentStates::Copy> RecurrentStates::memoryForCopy(std::size_t tokens)
{
    Copy copy;
    if (!m_spare.empty()) {
        copy = std::move(m_spare.back());
        m_spare.pop_back();
    } else if (m_saved.size() < m_most) {
        try {
            for (const Part &part : m_parts)
                copy.parts.push_back(part.device->allocate(part.bytes, "a copy of recurrent states",
                                                           MemoryPurpose::States));
        } catch (const Error &error) {
            if (error.kind() != ErrorKind::Memory)
                throw;
            m_most = m_saved.size();
            copy.parts.clear();
        }
    }
    if (copy.parts.empty() && m_saved.empty())
        return std::nullopt;
    if (copy.parts.empty()) {
        const auto dropped =
            m_saved.begin() + static_cast<std::ptrdiff_t>(leastUseful(savedAt(), tokens));
        copy = std::move(*dropped);
        m_saved.erase(dropped);
    }
    copy.tokens = tokens;
    return copy;
}

void RecurrentStates::move(const RecurrentStates &live, const Copy &copy, Way way) const
{
    for (std::size_t p = 0; p < m_parts.size(); ++p) {
        const Part &part = m_parts[p];
        std::vector<BufferCopy> copies;
        std::size_t offset = 0;
        for (std::size_t i = part.first; i < part.end; ++i) {
            const std::size_t bytes = bytesOf(m_layers[i]);
            if (bytes == 0)
                continue;
            Buffer *const state = live.of(i), *const kept = copy.parts[p].get();
            if (way == Way::Save)
                copies.push_back({state, 0, kept, offset, bytes});
            else
                copies.push_back({kept, offset, state, 0, bytes});
            offset += bytes;
        }
        part.device->copy(copies);
    }
}

void RecurrentStates::copyFrom(const RecurrentStates &other)
{
    m_back.reset();
    if (other.m_back) {
        if (*other.m_back == 0)
            zero();
        else
            move(*this, other.m_saved.back(), Way::Restore);
        return;
    }
    for (const Part &part : m_parts) {
        std::vector<BufferCopy> copies;
        for (std::size_t i = part.first; i < part.end; ++i)
            if (const std::size_t bytes = bytesOf(m_layers[i]); bytes > 0)
                copies.push_back({other.of(i), 0, of(i), 0, bytes});
        part.device->copy(copies);
    }
}

void RecurrentStates::copyFrom(const RecurrentStates &other, std::size_t saved)
{
    m_back.reset();
    if (!any())
        return;
    if (saved == 0)
        return zero();
    move(*this, other.copyAt(saved), Way::Restore);
    save(saved);
}

std::vector<std::size_t> RecurrentStates::savedAt() const
{
    std::vector<std::size_t> tokens;
    for (const Copy &copy : m_saved)
        tokens.push_back(copy.tokens);
    return tokens;
}

std::vector<std::size_t> RecurrentStates::mostUseful(std::vector<std::size_t> saved,
                                                     std::size_t most)
{
    while (saved.size() > std::max<std::size_t>(most, 1)) {
        const auto before = std::span(saved).first(saved.size() - 1);
        saved.erase(saved.begin() + static_cast<std::ptrdiff_t>(leastUseful(before, saved.back())));
    }
    return saved;
}

std::size_t RecurrentStates::savedBefore(std::size_t tokens) const
{
    std::size_t found = 0;
    for (const Copy &copy : m_saved)
        found = copy.tokens <= tokens ? copy.tokens : found;
    return found;
}

const RecurrentStates::Copy &RecurrentStates::copyAt(std::size_t tokens) const
{
    const auto copy = std::find_if(m_saved.begin(), m_saved.end(),
                                   [tokens](const Copy &one) { return one.tokens == tokens; });
    if (copy == m_saved.end())
        throw Error(ErrorKind::Internal,
                    "no copy of the states after " + std::to_string(tokens) + " tokens");
    return *copy;
}

std::vector<std::byte> RecurrentStates::read(std::size_t tokens) const
{
    const Copy &copy = copyAt(tokens);
    std::vector<std::byte> bytes(m_bytes);
    std::span<std::byte> rest(bytes);
    for (std::size_t p = 0; p < m_parts.size(); ++p) {
        const BufferRead part{copy.parts[p].get(), 0, rest.first(m_parts[p].bytes)};
        m_parts[p].device->read({&part, 1});
        rest = rest.subspan(m_parts[p].bytes);
    }
    return bytes;
}

void RecurrentStates::restore(std::size_t tokens, std::span<const std::byte> bytes)
{
    if (bytes.size() != m_bytes)
        throw Error(ErrorKind::Internal, "states of " + std::to_string(bytes.size()) +
                                             " bytes in place of " + std::to_string(m_bytes));
    m_back.reset();
    for (const Part &part : m_parts) {
        std::vector<BufferWrite> writes;
        for (std::size_t i = part.first; i < part.end; ++i) {
            const std::size_t size = bytesOf(m_layers[i]);
            if (size == 0)
                continue;
            writes.push_back({bytes.first(size), of(i), 0});
            bytes = bytes.subspan(size);
        }
        part.device->write(writes);
    }
    save(tokens);
}

} // namespace fireside
