#include "engine/model/weights.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/core/thread_pool.h"
#include "engine/files/model_file.h"
#include "engine/model/quantize/load_types.h"
#include "engine/model/tensor_names.h"
#include "engine/tensor/blocks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

namespace fireside {
namespace {

using Shape = std::vector<std::uint64_t>;

/// Without ones, which say nothing: a vector may be stored as [1, n], a convolution as [C, 1, K].
Shape withoutOnes(Shape shape)
{
    std::erase(shape, 1u);
    return shape.empty() ? Shape{1} : shape;
}

std::uint64_t unsignedOf(std::int64_t n)
{
    return static_cast<std::uint64_t>(n);
}

std::size_t sizeOf(std::int64_t n)
{
    return static_cast<std::size_t>(n);
}

bool isHalf(const TensorForm &form)
{
    return (form.order == &firstRows || form.order == &secondRows) && !form.transposed &&
           form.values == TensorForm::Values::Same;
}

/// Rows and columns exchanged, elements of `size` bytes.
void transpose(std::span<const std::byte> from, std::size_t rows, std::size_t cols,
               std::size_t size, std::byte *to)
{
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < cols; ++c)
            std::memcpy(to + (r * cols + c) * size, &from[(c * rows + r) * size], size);
}

} // namespace

WeightTable::WeightTable(const ModelFile &file, const Config &config, Content content)
    : m_file(file)
    , m_config(config)
    , m_content(content)
{}

WeightTable::~WeightTable() = default;

const ModelTensor &WeightTable::require(const std::string &name) const
{
    const std::string file = m_file.path().string();
    const ModelTensor *t = m_file.findTensor(name);
    if (!t)
        throwBadInput(file + " lacks the tensor " + fireside::quoted(name));
    if (!t->dtype || *t->dtype == DType::I32)
        throwUnsupported(file + ": tensor " + fireside::quoted(name) + ": weight type " + t->type +
                         " is not supported");
    m_used.insert(t);
    return *t;
}

const ModelTensor &WeightTable::require(const std::string &name, std::int64_t depth,
                                        std::int64_t rows, std::int64_t cols) const
{
    const ModelTensor &t = require(name);
    const Shape expected = withoutOnes({unsignedOf(depth), unsignedOf(rows), unsignedOf(cols)});
    const Shape below = withoutOnes({unsignedOf(depth * rows), unsignedOf(cols)});
    if (withoutOnes(t.shape) != expected && withoutOnes(t.shape) != below)
        throwBadInput(m_file.path().string() + ": tensor " + fireside::quoted(name) + " is " +
                      shapeText(t.shape) + ", expected " + shapeText(expected));
    return t;
}

WeightSource WeightTable::matrix(const std::string &name, std::int64_t rows, std::int64_t cols,
                                 std::int64_t depth) const
{
    const FoundName found = findName(m_file, name, m_config.layers);
    if (found.name.find('*') != std::string::npos)
        return oneByOne(found.name, depth, rows, cols);
    TensorForm form = found.form;
    const ModelTensor *const there = m_file.findTensor(found.name);
    form.transposed = form.transposed && !(there && there->packed && there->packed->byOutputs());
    const std::int64_t fileRows = rows * form.timesRows;
    const ModelTensor &t = form.transposed ? require(found.name, depth, cols, fileRows)
                                           : require(found.name, depth, fileRows, cols);
    WeightSource source{.name = found.name,
                        .dtype = *t.dtype,
                        .rows = rows,
                        .cols = cols,
                        .depth = depth,
                        .bytes = {}};
    if (t.packed && !form.transposed && form.values == TensorForm::Values::Same) {
        unpack(*t.packed, form, source);
        return source;
    }
    source.bytes = contents(t);
    if (form.plain())
        return source;
    if (!isHalf(form)) {
        reform(t, form, source);
        return source;
    }
    const std::span<const std::byte> whole = std::exchange(source.bytes, {});
    const std::size_t each = whole.size() / sizeOf(depth * form.timesRows);
    const std::size_t first = form.order == &secondRows ? 1 : 0;
    for (std::size_t e = 0; e < sizeOf(depth); ++e)
        source.parts.push_back(whole.subspan((e * sizeOf(form.timesRows) + first) * each, each));
    if (depth == 1)
        source = {found.name, *t.dtype, rows, cols, 1, source.parts.front()};
    return source;
}

WeightSource WeightTable::joined(const std::vector<std::string> &names, std::int64_t rows,
                                 std::int64_t cols) const
{
    std::vector<std::string> own;
    for (const std::string &name : names)
        own.push_back(findName(m_file, name, m_config.layers).name);
    return joinedAs(own, rows, cols);
}

/// By the file's own names.
WeightSource WeightTable::joinedAs(const std::vector<std::string> &names, std::int64_t rows,
                                   std::int64_t cols) const
{
    std::vector<const ModelTensor *> parts;
    std::size_t bytes = 0;
    std::uint64_t numbers = 0;
    for (const std::string &name : names) {
        const ModelTensor &t = *parts.emplace_back(&require(name));
        numbers += t.elements();
        bytes += t.storedBytes();
        if (t.dtype != parts.front()->dtype || (rows > 1 && t.elements() % unsignedOf(cols) != 0))
            throwUnsupported(m_file.path().string() + ": tensor " +
                             fireside::quoted(std::string(t.name)) + " is " + t.type + ' ' +
                             shapeText(t.shape) + ", which does not join " +
                             fireside::quoted(std::string(parts.front()->name)));
    }
    const std::string first(parts.front()->name);
    if (numbers != unsignedOf(rows * cols))
        throwBadInput(m_file.path().string() + ": tensor " + fireside::quoted(first) +
                      " and those beside it hold " + std::to_string(numbers) +
                      " numbers, expected " + shapeText({unsignedOf(rows), unsignedOf(cols)}));
    WeightSource source{.name = first,
                        .dtype = *parts.front()->dtype,
                        .rows = rows,
                        .cols = cols,
                        .depth = 1,
                        .bytes = {}};
    if (shapesOnly())
        return source;
    const std::span<std::byte> made = own(bytes);
    auto to = made.begin();
    for (const ModelTensor *t : parts) {
        const std::span<const std::byte> part = contents(*t);
        to = std::copy(part.begin(), part.end(), to);
    }
    source.bytes = made;
    return source;
}

WeightSource WeightTable::vector(const std::string &name, std::int64_t n) const
{
    const FoundName found = findName(m_file, name, m_config.layers);
    if (found.name.find('*') != std::string::npos)
        return joinedAs(numbered(found.name), 1, n);
    const ModelTensor &t = require(found.name);
    if (t.elements() != unsignedOf(n * found.form.timesRows))
        throwBadInput(m_file.path().string() + ": tensor " + fireside::quoted(found.name) + " is " +
                      shapeText(t.shape) + ", expected " + shapeText({unsignedOf(n)}));
    WeightSource source{.name = found.name,
                        .dtype = *t.dtype,
                        .rows = 1,
                        .cols = n,
                        .depth = 1,
                        .bytes = contents(t)};
    if (found.form.order != nullptr) {
        // Rows of one number each.
        source.rows = n;
        source.cols = 1;
        reform(t, found.form, source);
        source.rows = 1;
        source.cols = n;
    } else if (found.form.values != TensorForm::Values::Same) {
        reform(t, found.form, source);
    }
    return source;
}

/// The tensors that stand for the numbers from 0 on in a name with '*', as many as there are.
std::vector<std::string> WeightTable::numbered(const std::string &name) const
{
    const std::size_t star = name.find('*');
    std::vector<std::string> names;
    do
        names.push_back(name.substr(0, star) + std::to_string(names.size()) +
                        name.substr(star + 1));
    while (m_file.findTensor(names.back()) != nullptr);
    if (names.size() > 1)
        names.pop_back(); // the first that is not there; of none it is the one to be named
    return names;
}

bool WeightTable::has(const std::string &name) const
{
    std::string own = findName(m_file, name, m_config.layers).name;
    if (const std::size_t star = own.find('*'); star != std::string::npos)
        own.replace(star, 1, "0");
    return m_file.findTensor(own) != nullptr;
}

std::vector<float> WeightTable::numbers(const std::string &name, std::int64_t n) const
{
    const WeightSource source = vector(name, n);
    std::vector<float> values(sizeOf(n));
    if (!source.bytes.empty())
        dequantizeRow(source.dtype, source.bytes.data(), values.data(), values.size());
    return values;
}

std::span<std::byte> WeightTable::own(std::size_t bytes) const
{
    m_own.push_back(std::make_unique<std::vector<std::byte>>(bytes));
    return *m_own.back();
}

/// The file's matrices in the form wanted, in memory of the table.
void WeightTable::reform(const ModelTensor &t, const TensorForm &form, WeightSource &source) const
{
    const bool changes = form.values != TensorForm::Values::Same;
    const std::size_t rows = sizeOf(source.rows), cols = sizeOf(source.cols);
    // Rows of blocks can change places; what lies within them cannot.
    if (info(*t.dtype).blockElements != 1 &&
        (changes || form.transposed || cols % info(*t.dtype).blockElements != 0))
        throwUnsupported(m_file.path().string() + ": tensor " +
                         fireside::quoted(std::string(t.name)) + " of type " + t.type +
                         " would have to be rearranged: not supported");
    const std::size_t depth = sizeOf(source.depth), times = sizeOf(form.timesRows);
    if (changes)
        source.dtype = DType::F32;
    if (shapesOnly()) {
        source.bytes = {};
        return;
    }
    const std::size_t size = info(*t.dtype).blockBytes, row = rowBytes(*t.dtype, cols);
    const std::size_t matrix = times * rows * row;
    const std::span<std::byte> made = own(depth * rows * row);
    const std::span<const std::byte> whole = contents(t);
    std::vector<std::byte> turned(form.transposed ? matrix : 0);
    for (std::size_t e = 0; e < depth; ++e) {
        std::span<const std::byte> from = whole.subspan(e * matrix, matrix);
        if (form.transposed) {
            transpose(from, times * rows, cols, size, turned.data());
            from = turned;
        }
        for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t at =
                form.order ? sizeOf(form.order(static_cast<std::int64_t>(r), source.rows, m_config))
                           : r;
            std::memcpy(&made[(e * rows + r) * row], &from[at * row], row);
        }
    }
    source.bytes = made;
    if (!changes)
        return;
    std::vector<float> values(depth * rows * cols);
    dequantizeRow(*t.dtype, made.data(), values.data(), values.size());
    for (float &v : values)
        v = form.values == TensorForm::Values::PlusOne ? v + 1 : -std::exp(v);
    const std::span<std::byte> changed = own(values.size() * sizeof(float));
    std::memcpy(changed.data(), values.data(), changed.size());
    source.bytes = changed;
}

std::vector<std::string> WeightTable::unused() const
{
    std::vector<std::string> names;
    for (const ModelTensor &t : m_file.tensors())
        if (!m_used.contains(&t))
            names.emplace_back(t.name);
    return names;
}

LayerWeights::LayerWeights(const WeightTable &table, const LayerDevices &devices,
                           std::int64_t index)
    : m_table(table)
    , m_device(devices.own)
    , m_experts(devices.experts)
    , m_index(index)
    , m_prefix(index < 0 ? std::string() : "blk." + std::to_string(index) + '.')
{}

LayerWeights::Slot LayerWeights::add(const WeightSource &source) const
{
    Slot weight = m_device.addWeight(source);
    if (source.columns.empty())
        return weight;
    auto known = std::find_if(m_columns.begin(), m_columns.end(),
                              [&](const auto &entry) { return entry.first == source.columns; });
    if (known == m_columns.end()) {
        const std::span<std::byte> bytes = m_table.own(source.columns.size() * sizeof(float));
        std::memcpy(bytes.data(), source.columns.data(), bytes.size());
        m_columns.emplace_back(source.columns, m_device.addWeight({.name = source.name + ".columns",
                                                                   .dtype = DType::F32,
                                                                   .rows = 1,
                                                                   .cols = source.cols,
                                                                   .depth = source.depth,
                                                                   .bytes = bytes}));
        known = m_columns.end() - 1;
    }
    weight->columns = known->second;
    return weight;
}

LayerWeights::Slot LayerWeights::whole(const std::string &name, std::int64_t rows,
                                       std::int64_t cols, std::int64_t depth) const
{
    if (rows > 1)
        return add(m_table.forDevice(
            m_prefix + name, [&] { return m_table.matrix(m_prefix + name, rows, cols, depth); }));
    if (depth == 1)
        return m_device.addWeight(m_table.vector(m_prefix + name, cols));
    // A vector for each expert; an order of rows concerns its numbers.
    WeightSource source = m_table.held(m_table.matrix(m_prefix + name, cols, 1, depth));
    std::swap(source.rows, source.cols);
    return m_device.addWeight(source);
}

LayerWeights::Slot LayerWeights::matrix(const char *name, std::int64_t rows, std::int64_t cols,
                                        std::int64_t depth) const
{
    const std::string full = m_prefix + name + ".weight";
    return add(m_table.forDevice(full, [&] { return m_table.matrix(full, rows, cols, depth); }));
}

LayerWeights::Slot LayerWeights::vector(const char *name, std::int64_t n) const
{
    return m_device.addWeight(m_table.vector(m_prefix + name + ".weight", n));
}

LayerWeights::Slot LayerWeights::joined(const std::vector<std::string> &names, std::int64_t rows,
                                        std::int64_t cols) const
{
    std::vector<std::string> whole;
    for (const std::string &name : names)
        whole.push_back(m_prefix + name + ".weight");
    return m_device.addWeight(
        m_table.forDevice(whole.front(), [&] { return m_table.joined(whole, rows, cols); }));
}

LayerWeights::Slot LayerWeights::repeated(const std::string &name, std::int64_t n,
                                          std::int64_t times) const
{
    const std::vector<float> once = numbers(name, n);
    std::vector<float> all;
    for (const float value : once)
        all.insert(all.end(), sizeOf(times), value);
    WeightSource source{.name = m_prefix + name,
                        .dtype = DType::F32,
                        .rows = 1,
                        .cols = n * times,
                        .depth = 1,
                        .bytes = {}};
    if (!m_table.shapesOnly()) {
        const std::span<std::byte> made = m_table.own(all.size() * sizeof(float));
        std::memcpy(made.data(), all.data(), made.size());
        source.bytes = made;
    }
    return m_device.addWeight(source);
}

LayerWeights::Slot LayerWeights::bias(const char *name, std::int64_t n, std::int64_t depth) const
{
    return whole(std::string(name) + ".bias", 1, n, depth);
}

LayerWeights::Slot LayerWeights::made(const std::string &name, std::span<const float> values,
                                      std::int64_t rows) const
{
    const std::span<std::byte> bytes = m_table.own(values.size_bytes());
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return m_device.addWeight({.name = m_prefix + name,
                               .dtype = DType::F32,
                               .rows = rows,
                               .cols = static_cast<std::int64_t>(values.size()) / rows,
                               .depth = 1,
                               .bytes = bytes});
}

LayerWeights::Slot LayerWeights::scaledColumns(const char *name, const char *scale,
                                               std::int64_t rows, std::int64_t cols) const
{
    const WeightSource source =
        m_table.held(m_table.matrix(m_prefix + name + ".weight", rows, cols));
    const std::vector<float> factors = numbers(std::string(scale) + ".weight", cols);
    std::vector<float> values(sizeOf(rows * cols));
    const std::size_t row = rowBytes(source.dtype, sizeOf(cols));
    for (std::size_t r = 0; r < sizeOf(rows) && !source.bytes.empty(); ++r) {
        float *const out = &values[r * sizeOf(cols)];
        dequantizeRow(source.dtype, &source.bytes[r * row], out, sizeOf(cols));
        for (std::size_t c = 0; c < sizeOf(cols); ++c)
            out[c] *= factors[c];
    }
    return made(name, values, rows);
}

LayerWeights::Slot LayerWeights::optionalBias(const char *name, std::int64_t n, bool required,
                                              std::int64_t depth) const
{
    return required || has(std::string(name) + ".bias") ? bias(name, n, depth) : nullptr;
}

} // namespace fireside
