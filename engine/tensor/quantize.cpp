#include "engine/tensor/quantize.h"

#include "engine/core/error.h"
#include "engine/core/thread_pool.h"
#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"
#include "engine/tensor/quantize/kernels.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <vector>

namespace fireside {
namespace {

constexpr std::size_t kChunk = 8192; // numbers that a thread takes at once

enum class Fault { None, NotFinite, TooLarge };

const std::vector<const QuantizeKernels *> &kernelTables()
{
    static const std::vector<const QuantizeKernels *> all = [] {
        std::vector<const QuantizeKernels *> list;
#if defined(__x86_64__)
        const Isa best = cpuInfo().isa;
        if (best >= Isa::Avx512)
            list.push_back(&avx512QuantizeKernels());
        if (best >= Isa::Avx2)
            list.push_back(&avx2QuantizeKernels());
#endif
        list.push_back(&baselineQuantizeKernels());
        return list;
    }();
    return all;
}

bool isFiniteHalf(const std::byte *at)
{
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return (bits & 0x7c00u) != 0x7c00u;
}

/// Whether the factors of all blocks are within F16.
bool factorsFit(DType type, const std::byte *blocks, std::size_t count)
{
    const BlockFactors factors = factorsOf(type);
    for (std::size_t i = 0; i < count; ++i, blocks += info(type).blockBytes)
        for (const BlockFactor &factor : {factors.scale, factors.minimum})
            if (factor.form == BlockFactor::Form::F16 && !isFiniteHalf(blocks + factor.at))
                return false;
    return true;
}

/// To a type without blocks.
bool narrow(DType type, std::span<const float> in, std::byte *out)
{
    if (type == DType::F32) {
        std::memcpy(out, in.data(), in.size_bytes());
        return true;
    }
    bool fits = true;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::uint16_t bits = type == DType::F16 ? floatToHalf(in[i]) : floatToBf16(in[i]);
        const std::uint16_t infinity = type == DType::F16 ? 0x7c00u : 0x7f80u;
        fits = fits && (bits & infinity) != infinity;
        std::memcpy(out + 2 * i, &bits, sizeof bits);
    }
    return fits;
}

Fault quantizeChunk(const QuantizeJob &job, QuantizeBlocks make, std::size_t first,
                    std::size_t count)
{
    alignas(64) float numbers[kChunk];
    dequantizeRow(job.from, job.in.data() + rowBytes(job.from, first), numbers, count);
    if (!std::all_of(numbers, numbers + count, [](float x) { return std::isfinite(x); }))
        return Fault::NotFinite;
    std::byte *const out = job.out.data() + rowBytes(job.to, first);
    if (make == nullptr)
        return narrow(job.to, {numbers, count}, out) ? Fault::None : Fault::TooLarge;
    const std::size_t blocks = count / info(job.to).blockElements;
    make(numbers, out, blocks);
    return factorsFit(job.to, out, blocks) ? Fault::None : Fault::TooLarge;
}

} // namespace

std::span<const QuantizeKernels *const> availableQuantizeKernels()
{
    return kernelTables();
}

bool canQuantizeTo(DType type)
{
    return type != DType::I32 &&
           (info(type).blockElements == 1 || kernelTables().front()->find(type) != nullptr);
}

void quantizeTensor(const QuantizeJob &job, ThreadPool &pool, const std::stop_token &stop)
{
    const DTypeInfo &from = info(job.from), &to = info(job.to);
    const std::size_t count = job.in.size() / from.blockBytes * from.blockElements;
    if (!canQuantizeTo(job.to) || job.in.size() % from.blockBytes != 0 ||
        count % to.blockElements != 0 || job.out.size() != rowBytes(job.to, count))
        throwInternal(job.name + ": " + std::to_string(count) + " numbers of type " + from.name +
                      " cannot become " + to.name);
    const QuantizeBlocks make = kernelTables().front()->find(job.to);
    std::atomic<Fault> fault{Fault::None};
    const auto chunks = static_cast<std::ptrdiff_t>((count + kChunk - 1) / kChunk);
    pool.parallelFor(chunks, 4, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            if (fault.load(std::memory_order_relaxed) != Fault::None || stop.stop_requested())
                return;
            const Fault found =
                quantizeChunk(job, make, i * kChunk, std::min(kChunk, count - i * kChunk));
            if (found != Fault::None)
                fault = found;
        }
    });
    if (stop.stop_requested())
        throwCancelled();
    if (fault == Fault::NotFinite)
        throwBadInput(job.name + " holds NaN or an infinity");
    if (fault == Fault::TooLarge)
        throwBadInput(job.name + " holds numbers too large for " + to.name);
}

} // namespace fireside
