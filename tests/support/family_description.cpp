#include "tests/support/family_description.h"

#include <cmath>

namespace fireside::test {

using nlohmann::json;

FamilyNames withLlama(FamilyNames own)
{
    own.insert(own.end(), llamaNames().begin(), llamaNames().end());
    return own;
}

void renameKey(json &config, const char *from, const char *to)
{
    config[to] = config.at(from);
    config.erase(from);
}

FamilyModel described(const FamilyDescription &d)
{
    FamilyModel m;
    m.options = d.options;
    m.tensors = randomDecoder(d.options, d.qkvBias);
    m.config = referenceConfig(d.options, d.transformer);
    m.config["model_type"] = d.type;
    m.config.update(d.config);
    m.stored = renamed(d.store ? d.store(m.tensors, d.options) : m.tensors, d.layers, d.names);
    m.wrong = d.wrong;
    m.words = d.words;
    return m;
}

ReferenceOptions withRope(ReferenceOptions o, bool interleaved, double part, double base)
{
    o.frequencies = referenceFrequencies(
        static_cast<std::uint64_t>(static_cast<double>(o.headDim) * part), base);
    o.interleaved = interleaved;
    return o;
}

ReferenceTensors oneQkv(const ReferenceTensors &tensors, const ReferenceOptions &o)
{
    return fused(tensors, o.layers, "attn_qkv", {"attn_q", "attn_k", "attn_v"});
}

ReferenceTensors oneGateAndUp(const ReferenceTensors &tensors, const ReferenceOptions &o)
{
    return fused(tensors, o.layers, "ffn_up", {"ffn_gate", "ffn_up"});
}

ReferenceTensors oneOfEach(const ReferenceTensors &tensors, const ReferenceOptions &o)
{
    return oneGateAndUp(oneQkv(tensors, o), o);
}

ReferenceTensors byKeyHead(const ReferenceTensors &tensors, const ReferenceOptions &o)
{
    ReferenceTensors out = tensors;
    const std::uint64_t group = o.heads / o.kvHeads;
    for (std::uint64_t i = 0; i < 2 * o.layers; ++i) {
        const std::string layer = "blk." + std::to_string(i / 2) + '.';
        const std::string suffix = i % 2 == 0 ? ".weight" : ".bias";
        if (!out.contains(layer + "attn_q" + suffix))
            continue;
        std::vector<ReferenceMatrix> parts;
        const auto add = [&](const char *name, std::uint64_t head, std::uint64_t heads) {
            const ReferenceMatrix &from = out.at(layer + name + suffix);
            const std::uint64_t each = o.headDim * (suffix == ".bias" ? 1 : from.cols);
            ReferenceMatrix rows{.rows = heads * o.headDim, .cols = each / o.headDim, .values = {}};
            const auto first = from.values.begin() + static_cast<std::ptrdiff_t>(head * each);
            rows.values.assign(first, first + static_cast<std::ptrdiff_t>(heads * each));
            parts.push_back(std::move(rows));
        };
        for (std::uint64_t h = 0; h < o.kvHeads; ++h) {
            add("attn_q", h * group, group);
            add("attn_k", h, 1);
            add("attn_v", h, 1);
        }
        ReferenceMatrix all = stacked(parts);
        if (suffix == ".bias")
            std::swap(all.rows, all.cols);
        for (const char *name : {"attn_q", "attn_k", "attn_v"})
            out.erase(layer + name + suffix);
        out[layer + "attn_qkv" + suffix] = std::move(all);
    }
    return out;
}

ReferenceMatrix cut(const ReferenceMatrix &m, std::uint64_t rows, std::uint64_t cols)
{
    ReferenceMatrix out{.rows = rows, .cols = cols, .values = {}};
    for (std::uint64_t r = 0; r < rows; ++r) {
        const auto row = m.row(r).first(cols);
        out.values.insert(out.values.end(), row.begin(), row.end());
    }
    return out;
}

void makeUnits(ReferenceMatrix &m, bool byRows)
{
    std::vector<double> squares(byRows ? m.rows : m.cols);
    for (std::size_t i = 0; i < m.values.size(); ++i)
        squares[byRows ? i / m.cols : i % m.cols] += double{m.values[i]} * double{m.values[i]};
    for (std::size_t i = 0; i < m.values.size(); ++i)
        m.values[i] /= static_cast<float>(std::sqrt(squares[byRows ? i / m.cols : i % m.cols]));
}

} // namespace fireside::test
