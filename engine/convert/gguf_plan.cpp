#include "engine/convert/gguf_plan.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/tensor_names.h"
#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>

namespace fireside {
namespace {

constexpr const char *kSplitKeys = "split."; // the result is one file

/// Rows of a part as they are in memory.
std::vector<std::byte> rowsOf(const ModelTensor &t, std::uint64_t first, std::uint64_t rows,
                              std::uint64_t cols)
{
    const std::size_t row = rowBytes(*t.dtype, static_cast<std::size_t>(cols));
    std::vector<std::byte> bytes(static_cast<std::size_t>(rows) * row);
    if (t.packed) {
        unpackRows(*t.packed, first, rows, bytes.data());
    } else {
        const auto from = t.bytes.subspan(static_cast<std::size_t>(first) * row, bytes.size());
        std::copy(from.begin(), from.end(), bytes.begin());
    }
    return bytes;
}

void readWhole(const ModelTensor &t,
               const std::function<void(DType, std::span<const std::byte>)> &piece)
{
    const std::uint64_t count = t.elements();
    if (!t.packed) {
        for (std::uint64_t first = 0; first < count; first += kPieceNumbers)
            piece(*t.dtype,
                  t.bytes.subspan(rowBytes(*t.dtype, static_cast<std::size_t>(first)),
                                  rowBytes(*t.dtype, static_cast<std::size_t>(
                                                         std::min(kPieceNumbers, count - first)))));
        return;
    }
    const std::uint64_t cols = t.packed->cols, rows = count / cols;
    const std::uint64_t step = std::max(kPieceNumbers / cols, std::uint64_t{1});
    for (std::uint64_t first = 0; first < rows; first += step)
        piece(*t.dtype, rowsOf(t, first, std::min(step, rows - first), cols));
}

} // namespace

std::uint64_t PlannedTensor::elements() const
{
    return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

GgufPlan planOfGguf(const ModelFile &file, bool otherTypes)
{
    const Gguf &gguf = *file.gguf();
    GgufPlan plan{GgufWriter(gguf.alignment()), {}, {}};
    for (std::size_t i = 0; i < gguf.metadata().size(); ++i) {
        const std::string_view key = gguf.metadata()[i].first;
        const bool ofTypes = key == kFileTypeKey || key == kVersionKey;
        if (!key.starts_with(kSplitKeys) && !(otherTypes && ofTypes))
            plan.keys.raw(key, gguf.rawMetadata()[i]);
    }
    // As of a folder: what reads pictures or sound is left out.
    const auto add = [&](const ModelTensor &t) {
        if (isOfOtherInput(file, t.name))
            return;
        if (!t.dtype)
            throwUnsupported(printable(file.path().string()) + ": tensor " +
                             fireside::quoted(t.name) + ": weight type " + t.type +
                             " is not supported");
        plan.tensors.push_back({std::string(t.name), *t.dtype, t.shape, {&t}, {}});
    };
    if (otherTypes)
        std::for_each(file.tensors().begin(), file.tensors().end(), add);
    else
        for (const GgufTensor &t : gguf.tensors())
            add(*plan.copies.emplace_back(std::make_unique<ModelTensor>(ModelTensor::of(t))));
    return plan;
}

std::string sizeLabelOf(const GgufPlan &plan)
{
    double shared = 0, expert = 0;
    std::uint64_t experts = 0;
    for (const PlannedTensor &t : plan.tensors) {
        const bool mixture = t.name.find("_exps.") != std::string::npos && t.shape.size() == 3;
        if (mixture)
            experts = t.shape.front();
        (mixture ? expert : shared) +=
            static_cast<double>(t.elements()) / static_cast<double>(mixture ? experts : 1);
    }
    struct Unit
    {
        double size;
        char letter;
    };
    constexpr std::array units{Unit{1e12, 'T'}, Unit{1e9, 'B'}, Unit{1e6, 'M'}, Unit{1e3, 'K'}};
    const double count = shared + expert;
    const Unit *const unit =
        std::find_if(units.begin(), units.end() - 1, [&](const Unit &u) { return count > u.size; });
    std::array<char, 48> text{};
    const double number = count / unit->size; // two digits at least
    std::snprintf(text.data(), text.size(), "%.*f%c", number < 9.5 ? 1 : 0, number, unit->letter);
    return (experts > 0 ? std::to_string(experts) + 'x' : "") + text.data();
}

bool isSliced(const PlannedTensor &tensor, const ModelTensor &part)
{
    return tensor.change && part.shape.size() == 3 && part.shape[1] != 1;
}

/// Types that only folders have become F16, as they do in the file: then columns can change places.
void widen(Converted &t)
{
    if (isInGguf(t.type))
        return;
    std::vector<float> values(t.bytes.size() / info(t.type).blockBytes *
                              info(t.type).blockElements);
    dequantizeRow(t.type, t.bytes.data(), values.data(), values.size());
    t.type = DType::F16;
    t.bytes.resize(values.size() * sizeof(std::uint16_t));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t half = floatToHalf(values[i]);
        std::memcpy(&t.bytes[i * sizeof half], &half, sizeof half);
    }
}

Converted changedPart(const PlannedTensor &tensor, const ModelTensor &part, std::uint64_t matrix,
                      bool bytes)
{
    Converted made{std::string(part.name),
                   *part.dtype,
                   part.shape,
                   {},
                   part.packed && part.packed->byOutputs()};
    if (isSliced(tensor, part))
        made.shape.erase(made.shape.begin());
    if (bytes) {
        const std::uint64_t cols = part.packed          ? part.packed->cols
                                   : made.shape.empty() ? 1
                                                        : made.shape.back();
        const std::uint64_t rows = made.elements() / std::max(cols, std::uint64_t{1});
        made.bytes = rowsOf(part, matrix * rows, rows, cols);
    }
    if (tensor.change) {
        widen(made);
        tensor.change(made);
    }
    if (made.shape.empty())
        made.shape.push_back(1);
    return made;
}

void readPlanned(const PlannedTensor &tensor,
                 const std::function<void(DType, std::span<const std::byte>)> &piece)
{
    if (tensor.parts.empty())
        piece(DType::F32, std::as_bytes(std::span(tensor.values)));
    for (const ModelTensor *part : tensor.parts) {
        if (!tensor.change) {
            readWhole(*part, piece);
            continue;
        }
        const std::uint64_t matrices = isSliced(tensor, *part) ? part->shape.front() : 1;
        for (std::uint64_t i = 0; i < matrices; ++i) {
            const Converted made = changedPart(tensor, *part, i, true);
            piece(made.type, made.bytes);
        }
    }
}

} // namespace fireside
