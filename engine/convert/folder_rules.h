#pragma once
#include "engine/files/gguf_writer.h"
#include "engine/model/json_keys.h"
#include "engine/model/rope_frequencies.h"
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {
class ModelFile;
struct ModelTensor;
} // namespace fireside

// How a GGUF file is made of a Hugging Face folder: names, keys and orders of rows as llama.cpp's
// converters write them, which is not always what this engine's loader needs. A family is a row.
namespace fireside {

/// One tensor on its way; the slowest dimension first.
struct Converted
{
    std::string name; // the folder's
    DType type = DType::F32;
    std::vector<std::uint64_t> shape;
    std::vector<std::byte> bytes; // none: only type and shape are asked for
    bool byOutputs = false;       // the rows are outputs, also where the class has them as columns
    std::uint64_t elements() const; // by the shape
};

/// What the orders of rows depend on.
struct SourceNumbers
{
    std::filesystem::path path; // of config.json
    const nlohmann::json &config;
    std::uint64_t heads = 0, kvHeads = 0;

    JsonKeys keys() const { return {path, config}; }
    /// Error(BadInput) naming the key where it is missing or of another type.
    std::uint64_t at(const char *key) const;
    double real(const char *key) const;
    double realOf(const char *list, std::size_t index) const;
};

/// Reorders a tensor or changes its numbers; of experts in one tensor each by itself.
/// Error(BadInput) naming the tensor where its shape does not allow that, Error(Unsupported) for
/// quantised columns.
using Change = void (*)(Converted &tensor, const SourceNumbers &source);

/// Every tensor whose name within its layer begins with `folder` gets the name that begins with
/// `gguf`; several rules with one `folder` make several tensors, an empty `gguf` none. The number
/// of an expert is '*': its tensors are stacked before.
struct TensorRule
{
    std::string_view folder, gguf;
    Change change = nullptr;
};

/// A tensor that is in no folder: {size}, or of several dimensions.
struct MadeTensor
{
    std::string name;
    std::vector<std::uint64_t> shape; // slowest first
    std::vector<float> values;
};

/// Writes keys "ARCHITECTURE.key" from config.json. Error(BadInput) naming the key where it is
/// missing or of another type.
class KeyWriter
{
public:
    using Names = std::initializer_list<const char *>;
    /// rope: of config.json, of the layers with full attention.
    KeyWriter(GgufWriter &out, std::vector<MadeTensor> &made, const ModelFile &file,
              const nlohmann::json &config, std::string_view architecture,
              const RopeSettings &rope);
    /// With other numbers than config.json has, which converters change first.
    KeyWriter with(const nlohmann::json &config) const
    {
        return {m_out, m_made, m_file, config, m_architecture, m_rope};
    }
    const nlohmann::json &config() const { return m_config; }
    JsonKeys keys() const { return {m_path, m_config}; }
    /// Of the layers, in order.
    std::vector<std::string> kindsOf(const char *list) const;
    std::uint32_t layers() const;
    GgufWriter &out() { return m_out; }
    std::string key(const std::string &name) const { return m_architecture + '.' + name; }

    /// The first of several names that config.json has; null: none.
    const nlohmann::json &find(Names names) const;
    std::uint32_t number(Names names) const; // must be there
    double real(const char *name) const;     // must be there
    bool flagOf(const char *name, bool missing) const { return keys().flag(name, missing); }
    std::uint32_t headDim() const; // or the width divided by the heads
    JsonKeys rope() const;         // rope_parameters, of full attention
    const RopeSettings &ropeSettings() const { return m_rope; }
    /// Channels of a head that turn.
    std::uint64_t rotaryChannels() const { return static_cast<std::uint64_t>(m_rope.rotary); }

    void u32(const char *key, std::uint64_t value);
    void f32(const char *key, double value);
    void flag(const char *key, bool value);
    /// Copied from config.json, if it is there.
    void copy(const char *key, Names names);
    void copyReal(const char *key, Names names);
    /// What is to be written where config.json has none: readers assume another number.
    void copyReal(const char *key, Names names, double missing);
    void copyFlag(const char *key, Names names);
    void text(const char *key, const char *value);
    /// True for each sliding layer.
    void slidingLayers();
    /// The number in layers that `list` calls one of the kinds, 0 in the others.
    void ofKinds(const char *key, const char *list, std::uint32_t number, Names kinds);
    /// config.json without the number of heads of keys, for where it differs from layer to layer.
    nlohmann::json withoutKeyHeads() const;
    /// One number of each layer from small tensors of the folder, under a key without architecture.
    void numbersOfLayers(const char *key, const std::string &tensor);

    /// What converters write for most families, and its parts.
    void usual();
    void sizes();
    void ropeKeys();
    void originalContextKey(); // of YaRN and LongRoPE
    void expertKeys();

    void tensor(MadeTensor made) { m_made.push_back(std::move(made)); }

private:
    GgufWriter &m_out;
    std::vector<MadeTensor> &m_made;
    const ModelFile &m_file;
    std::filesystem::path m_path;
    const nlohmann::json &m_config;
    std::string m_architecture;
    const RopeSettings &m_rope;
};

struct GgufRules
{
    std::string_view transformer, architecture; // class of config.json, general.architecture
    void (*keys)(KeyWriter &keys);
    std::span<const TensorRule> tensors{}; // before those of all families
    std::string_view layers = "model.layers.";
    bool (*holds)(const JsonKeys &keys) = nullptr; // of several for one class
};

std::span<const GgufRules> ggufLlamaRules();
std::span<const GgufRules> ggufGptRules();
std::span<const GgufRules> ggufMixtureRules();
std::span<const GgufRules> ggufNormRules();    // norms at other places: Gemma, OLMo, Cohere, …
std::span<const GgufRules> ggufMambaRules();   // state spaces, alone and with attention
std::span<const GgufRules> ggufDeltaRules();   // gated delta rules, short convolutions
std::span<const GgufRules> ggufGemmaRules();   // Gemma 3n and 4
std::span<const GgufRules> ggufBertRules();    // encoders
std::span<const GgufRules> ggufChineseRules(); // InternLM, Qwen 1, ChatGLM and others near to Llama
/// The row for a class of config.json; nullptr: none.
const GgufRules *findGgufRules(std::string_view transformer, const JsonKeys &keys);

/// Another order of rows: index i of a dimension becomes what was index from[i].
void takeRowsBy(Converted &t, std::size_t axis, const std::vector<std::uint64_t> &from);
/// Its numbers in F32; none where only the shape is asked for.
std::span<float> asFloats(Converted &t);
/// Another value for each, by its place; the tensor becomes F32.
template <typename F>
void changeNumbers(Converted &t, const F &change)
{
    const std::span<float> values = asFloats(t);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = change(values[i], i);
}

void usualKeys(KeyWriter &keys);

// Changes that several families have.
void interleaveQueries(Converted &t, const SourceNumbers &source); // halves of heads → pairs
void interleaveKeys(Converted &t, const SourceNumbers &source);
void addOne(Converted &t, const SourceNumbers &source);
void squeeze(Converted &t, const SourceNumbers &source); // dimensions of one
void decay(Converted &t, const SourceNumbers &source);   // −exp
void transpose(Converted &t, const SourceNumbers &source);
void firstHalf(Converted &t, const SourceNumbers &source); // of the rows
void secondHalf(Converted &t, const SourceNumbers &source);
void evenRowsOf(Converted &t, const SourceNumbers &source);
void oddRowsOf(Converted &t, const SourceNumbers &source);
void transposedFirstHalf(Converted &t, const SourceNumbers &source);
void transposedSecondHalf(Converted &t, const SourceNumbers &source);
void transposedEven(Converted &t, const SourceNumbers &source);
void transposedOdd(Converted &t, const SourceNumbers &source);
void apartQkv(Converted &t, const SourceNumbers &source); // by head of keys → all q, all k, all v
void queriesInPairs(Converted &t, const SourceNumbers &source); // of all q, all k, all v
void keysInPairs(Converted &t, const SourceNumbers &source);
void valuesOnly(Converted &t, const SourceNumbers &source);
void apartQueriesInPairs(Converted &t, const SourceNumbers &source); // by head of keys
void apartKeysInPairs(Converted &t, const SourceNumbers &source);
void apartValues(Converted &t, const SourceNumbers &source);
void interleaveBySize(Converted &t, const SourceNumbers &source); // heads of width / heads
void unitRows(Converted &t, const SourceNumbers &source);         // each of length 1
void unitColumns(Converted &t, const SourceNumbers &source);
void expertsApart(Converted &t, const SourceNumbers &source); // that lie one below the other
void expertsApartTransposed(Converted &t, const SourceNumbers &source);
void latentKeys(Converted &t, const SourceNumbers &source); // of kv_b, transposed for each head
void latentValues(Converted &t, const SourceNumbers &source);

} // namespace fireside
