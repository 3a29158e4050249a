#pragma once
#include "engine/backend/backend.h"
#include "engine/model/config.h"
#include "engine/model/quantize/recipe.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace fireside {

class LoadTypes;
class ModelFile;
class ThreadPool;
struct ModelTensor;
struct PackedWeight;
struct TensorForm;

/// The weight table of a model, by GGUF names whatever the file: fetching a weight states its
/// shape, a mismatch prints both. What a folder has in another form, or quantised as PackedWeight
/// says, is made in memory of the table, which must outlive the weights like the file.
class WeightTable
{
public:
    enum class Content { Whole, ShapesOnly };
    WeightTable(const ModelFile &file, const Config &config, Content content = Content::Whole);
    ~WeightTable();
    /// Of shapes alone: those that weights that go to devices will have. `types` must outlive the
    /// table.
    void shapesAs(const LoadTypes &types) { m_types = &types; }
    /// Weights that go to devices become these types on the way, with so many threads.
    void quantizeTo(const LoadTypes &types, int threads, std::stop_token stop);

    /// What `fetch` gets, by the GGUF name, in the type it is to have on a device. What it was made
    /// of is given back.
    WeightSource forDevice(const std::string &name,
                           const std::function<WeightSource()> &fetch) const;
    /// What forDevice() was asked for, where only shapes are.
    const std::vector<RecipeTensor> &requests() const { return m_requests; }
    /// How many pieces of memory there are, and giving back the later ones: no weight on its way
    /// may need them any more.
    std::size_t pieces() const { return m_own.size(); }
    void forget(std::size_t pieces) const;

    /// [rows outputs, cols inputs], one for each of `depth` experts or heads, stored together or
    /// one by one. Error(BadInput): missing, or another shape; Error(Unsupported): a type we do not
    /// compute with.
    WeightSource matrix(const std::string &name, std::int64_t rows, std::int64_t cols,
                        std::int64_t depth = 1) const;
    /// [1, n], of any shape with so many numbers in the file
    WeightSource vector(const std::string &name, std::int64_t n) const;
    /// [rows, cols] whose rows lie one after the other in several tensors, however they are cut.
    WeightSource joined(const std::vector<std::string> &names, std::int64_t rows,
                        std::int64_t cols) const;
    /// The same with its bytes, for who reads them: made in the table where the source makes them,
    /// in F32 where its columns lie in another order than the inputs.
    WeightSource held(WeightSource source) const;
    bool has(const std::string &name) const;
    /// The numbers of a small tensor.
    std::vector<float> numbers(const std::string &name, std::int64_t n) const;
    /// Memory that lives as long as the table: for weights made of others.
    std::span<std::byte> own(std::size_t bytes) const;
    bool shapesOnly() const { return m_content == Content::ShapesOnly; }
    const Config &config() const { return m_config; }

    /// Tensors of the file that nothing asked for.
    std::vector<std::string> unused() const;

private:
    const ModelTensor &require(const std::string &name) const;
    const ModelTensor &require(const std::string &name, std::int64_t depth, std::int64_t rows,
                               std::int64_t cols) const;
    WeightSource oneByOne(const std::string &name, std::int64_t depth, std::int64_t rows,
                          std::int64_t cols) const;
    WeightSource joinedAs(const std::vector<std::string> &names, std::int64_t rows,
                          std::int64_t cols) const;
    std::vector<std::string> numbered(const std::string &name) const;
    void unpack(const PackedWeight &weight, const TensorForm &form, WeightSource &source) const;
    WeightSource filled(WeightSource source) const;
    WeightSource::MakeRows inThisFile(WeightSource::MakeRows make) const;
    std::span<const std::byte> contents(const ModelTensor &tensor) const;
    void reform(const ModelTensor &tensor, const TensorForm &form, WeightSource &source) const;
    std::unique_ptr<std::vector<std::byte>> quantized(const WeightSource &source, DType type) const;

    const ModelFile &m_file;
    const Config &m_config;
    Content m_content;
    mutable std::vector<std::unique_ptr<std::vector<std::byte>>> m_own;
    mutable std::unordered_set<const ModelTensor *> m_used;
    mutable std::vector<RecipeTensor> m_requests;
    const LoadTypes *m_types = nullptr;
    std::unique_ptr<ThreadPool> m_pool;
    std::stop_token m_stop;
    mutable std::unordered_map<std::string, WeightSource> m_quantized;
};

/// Where a layer lies: its experts may lie on another device.
struct LayerDevices
{
    LayerDevices(Device &device) // NOLINT: all on one
        : own(device)
        , experts(device)
    {}
    LayerDevices(Device &device, Device &ofExperts)
        : own(device)
        , experts(ofExperts)
    {}
    Device &own;
    Device &experts;
};

/// The weights of one layer, or of no layer, on their way to a device, by their short names.
class LayerWeights
{
public:
    using Slot = std::unique_ptr<Weight>;
    /// index −1: tensors of no layer
    LayerWeights(const WeightTable &table, const LayerDevices &devices, std::int64_t index);

    /// The weight on the device, with the order of its columns, which those of a layer share where
    /// it is the same.
    Slot add(const WeightSource &source) const;
    Slot matrix(const char *name, std::int64_t rows, std::int64_t cols,
                std::int64_t depth = 1) const;
    /// See WeightTable::joined.
    Slot joined(const std::vector<std::string> &names, std::int64_t rows, std::int64_t cols) const;
    Slot vector(const char *name, std::int64_t n) const;
    /// [1, n · times]: each number `times` times.
    Slot repeated(const std::string &name, std::int64_t n, std::int64_t times) const;
    Slot bias(const char *name, std::int64_t n, std::int64_t depth = 1) const;
    /// None where the file has none, unless it must.
    Slot optionalBias(const char *name, std::int64_t n, bool required = false,
                      std::int64_t depth = 1) const;
    /// With its suffix, ".weight" or other.
    Slot whole(const std::string &name, std::int64_t rows, std::int64_t cols,
               std::int64_t depth = 1) const;
    /// Numbers of our own making as a weight.
    Slot made(const std::string &name, std::span<const float> values, std::int64_t rows = 1) const;
    /// A small matrix in F32 with its columns multiplied by the numbers of a vector.
    Slot scaledColumns(const char *name, const char *scale, std::int64_t rows,
                       std::int64_t cols) const;
    bool has(const std::string &name) const { return m_table.has(m_prefix + name); }
    std::vector<float> numbers(const std::string &name, std::int64_t n) const
    {
        return m_table.numbers(m_prefix + name, n);
    }

    Device &device() const { return m_device; }
    bool expertsApart() const { return &m_experts != &m_device; }
    /// The same layer on the device of its experts.
    LayerWeights ofExperts() const { return {m_table, m_experts, m_index}; }
    const WeightTable &table() const { return m_table; }
    const std::string &prefix() const { return m_prefix; }
    const Config &config() const { return m_table.config(); }
    const LayerConfig &layer() const { return config().layer(m_index); }
    std::int64_t index() const { return m_index; }

private:
    const WeightTable &m_table;
    Device &m_device, &m_experts;
    std::int64_t m_index;
    std::string m_prefix;
    mutable std::vector<std::pair<std::vector<float>, std::shared_ptr<const Weight>>> m_columns;
};

} // namespace fireside
