#include "tests/support/long_rope_model.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace fireside::test {
namespace {

constexpr double kShortScale = 1.3, kLongScale = 0.8;
constexpr double kFactor = 64.0 / LongRopeModel::kLimit;

/// √(1 + ln(factor) / ln(limit))
double attentionScale()
{
    return std::sqrt(1 + std::log(kFactor) / std::log(double{LongRopeModel::kLimit}));
}

/// As Phi 3 stores them.
ReferenceTensors joined(const ReferenceTensors &tensors, std::uint64_t layers)
{
    return fused(fused(tensors, layers, "attn_qkv", {"attn_q", "attn_k", "attn_v"}), layers,
                 "ffn_up", {"ffn_gate", "ffn_up"});
}

} // namespace

LongRopeModel::LongRopeModel()
    : m_tensors(randomDecoder(m_options))
    , m_short{1, 1.1f, 1.3f, 1.5f}
    , m_long{1.5f, 3, 7, 11}
{}

void LongRopeModel::writeFolder(const std::filesystem::path &folder, bool mscales) const
{
    nlohmann::json config = referenceConfig(m_options, "Phi3ForCausalLM");
    config["original_max_position_embeddings"] = kLimit;
    config["rope_scaling"] = {
        {"type", "longrope"}, {"short_factor", m_short}, {"long_factor", m_long}};
    if (mscales) {
        config["rope_scaling"]["short_mscale"] = kShortScale;
        config["rope_scaling"]["long_mscale"] = kLongScale;
    }
    auto names = llamaNames();
    names.insert(names.begin(), {"ffn_up.", "mlp.gate_up_proj."});
    writeReferenceFolder(folder, config,
                         renamed(joined(m_tensors, m_options.layers), "model.layers.", names));
}

void LongRopeModel::writeGguf(const std::filesystem::path &path) const
{
    nlohmann::json keys = referenceKeys(m_options);
    keys["rope.dimension_count"] = m_options.headDim;
    keys["rope.scaling.original_context_length"] = kLimit;
    keys["rope.scaling.attn_factor"] = attentionScale();
    ReferenceTensors tensors = joined(m_tensors, m_options.layers);
    tensors["rope_factors_short.weight"] = {.rows = 1, .cols = m_short.size(), .values = m_short};
    tensors["rope_factors_long.weight"] = {.rows = 1, .cols = m_long.size(), .values = m_long};
    writeReferenceGguf(path, "phi3", keys, tensors);
}

std::vector<double> LongRopeModel::logits(std::span<const std::int32_t> ids, bool mscales) const
{
    const bool longer = ids.size() > kLimit;
    ReferenceOptions options = m_options;
    options.frequencies = referenceFrequencies(options.headDim);
    for (std::size_t i = 0; i < options.frequencies.size(); ++i)
        options.frequencies[i] /= double{(longer ? m_long : m_short)[i]};
    options.turnFactor = mscales ? longer ? kLongScale : kShortScale : attentionScale();
    return referenceLogits(m_tensors, options, ids);
}

std::vector<double> LongRopeModel::last(std::span<const std::int32_t> ids) const
{
    const std::vector<double> all = logits(ids);
    return {all.end() - static_cast<std::ptrdiff_t>(m_options.vocabulary), all.end()};
}

std::vector<std::int32_t> LongRopeModel::text(std::size_t count) const
{
    std::vector<std::int32_t> ids(count);
    for (std::size_t i = 0; i < count; ++i)
        ids[i] = static_cast<std::int32_t>((7 * i * i + 3 * i + 1) % m_options.vocabulary);
    return ids;
}

} // namespace fireside::test
