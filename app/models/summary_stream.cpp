#include "app/models/summary_stream.h"

#include <QDataStream>
#include <QFile>

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

namespace fireside {
namespace {

constexpr quint32 kLayout = 1;
constexpr quint32 kMostElements = 1 << 22;

/// Both ways over the same list of members, so that they cannot differ.
template <bool Reads>
class Archive
{
public:
    explicit Archive(QDataStream &stream)
        : m_stream(stream)
    {}

    template <typename... Values>
    void operator()(Values &...values)
    {
        (one(values), ...);
    }

private:
    template <typename Number>
    requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
    void one(Number &value)
    {
        if constexpr (Reads)
            m_stream.readRawData(reinterpret_cast<char *>(&value), sizeof value);
        else
            m_stream.writeRawData(reinterpret_cast<const char *>(&value), sizeof value);
    }
    void one(bool &value)
    {
        quint8 byte = value ? 1 : 0;
        one<quint8>(byte);
        value = byte != 0;
    }
    void one(std::string &text)
    {
        quint32 size = sizeFor(text);
        if constexpr (Reads)
            text.resize(size);
        if constexpr (Reads)
            m_stream.readRawData(text.data(), static_cast<int>(size));
        else
            m_stream.writeRawData(text.data(), static_cast<int>(size));
    }
    template <typename Value>
    void one(std::vector<Value> &values)
    {
        const quint32 size = sizeFor(values);
        if constexpr (Reads)
            values.resize(size);
        for (Value &value : values) {
            if (m_stream.status() != QDataStream::Ok)
                return;
            one(value);
        }
    }
    template <typename Value>
    void one(std::optional<Value> &value)
    {
        bool there = value.has_value();
        one(there);
        if constexpr (Reads) {
            if (there)
                value.emplace();
            else
                value.reset();
        }
        if (value)
            one(*value);
    }
    void one(OpWork &w) { (*this)(w.bytes, w.byteProducts, w.floatProducts); }
    void one(MemoryPlan::Kept &k) { (*this)(k.layer, k.heads, k.keyDim, k.valueDim, k.states); }
    void one(MemoryPlan::Experts &e) { (*this)(e.weights, e.scratch, e.gpuScratch, e.handed); }
    void one(MemoryPlan::OnGpu &g)
    {
        (*this)(g.pieces, g.softwarePieces, g.outputElsewhere, g.restPieces, g.softwareRestPieces,
                g.expertPieces, g.scratch, g.softwareScratch, g.rows, g.cpuScratch, g.byteProducts);
    }
    void one(MemoryPlan::PartWork &w)
    {
        (*this)(w.token, w.chunk, w.ops, w.expertToken, w.expertChunk, w.expertOps);
    }
    void one(MemoryPlan &p)
    {
        (*this)(p.layerWeights, p.embeddingWeights, p.outputWeights, p.tiedWeights, p.kept,
                p.layerCaches, p.layerStates, p.madeWeights, p.scratch, p.work, p.reserve,
                p.carried, p.rows, p.experts, p.together, p.context, p.kvType, p.gpu, p.steps,
                p.chunkRows);
    }

    /// A damaged file must not take the memory of the computer.
    template <typename Sequence>
    quint32 sizeFor(const Sequence &values)
    {
        auto size = static_cast<quint32>(values.size());
        one(size);
        if (size > kMostElements || m_stream.status() != QDataStream::Ok) {
            m_stream.setStatus(QDataStream::ReadCorruptData);
            return 0;
        }
        return size;
    }

    QDataStream &m_stream;
};

template <bool Reads>
void pass(QDataStream &stream, ModelSummary &s)
{
    Archive<Reads> archive(stream);
    archive(s.fileBytes, s.name, s.architecture, s.quantisation, s.quantisedTo, s.quantisationHint,
            s.license, s.description, s.parameters, s.activeParameters, s.contextTrained, s.layers,
            s.vocabulary, s.hasChatTemplate, s.encoder, s.draftHeads, s.fingerprint, s.problem,
            s.plan, s.remarks);
}

} // namespace

quint32 summaryLayout()
{
    // A member that is added changes the size of its struct.
    return kLayout << 24 | (sizeof(ModelSummary) & 0xfff) << 12 | (sizeof(MemoryPlan) & 0xfff);
}

void write(QDataStream &out, const ModelSummary &summary)
{
    ModelSummary copy = summary;
    pass<false>(out, copy);
}

ModelSummary readSummary(QDataStream &in)
{
    ModelSummary summary;
    pass<true>(in, summary);
    return summary;
}

} // namespace fireside
