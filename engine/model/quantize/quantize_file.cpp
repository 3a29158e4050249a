#include "engine/model/quantize/quantize_file.h"

#include "engine/core/cpu_info.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/core/thread_pool.h"
#include "engine/files/gguf_writer.h"
#include "engine/files/model_file.h"
#include "engine/files/new_file.h"
#include "engine/model/config.h"
#include "engine/model/describe.h"
#include "engine/tensor/quantize.h"

#include <algorithm>
#include <array>
#include <vector>

namespace fireside {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 22; // numbers that are in memory at once
constexpr std::uint32_t kQuantizationVersion = 2;    // of the layouts in blocks.h
constexpr const char *kFileTypeKey = "general.file_type";
constexpr const char *kVersionKey = "general.quantization_version";
constexpr const char *kSplitKeys = "split."; // the result is one file

std::int64_t dimension(const ModelTensor &t, std::size_t fromLast)
{
    const std::size_t rank = t.shape.size();
    return fromLast < rank ? static_cast<std::int64_t>(t.shape[rank - 1 - fromLast]) : 1;
}

std::vector<RecipeTensor> tensorsOf(const ModelFile &file)
{
    std::vector<RecipeTensor> tensors;
    for (const ModelTensor &t : file.tensors()) {
        RecipeTensor tensor{std::string(t.name), 1, dimension(t, 1), dimension(t, 0), *t.dtype};
        for (std::size_t i = 2; i < t.shape.size(); ++i)
            tensor.depth *= dimension(t, i);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

std::string nameOf(const ModelFile &file, const ModelTensor &tensor)
{
    return printable(file.path().string()) + ": tensor " + fireside::quoted(tensor.name);
}

/// Error when a tensor cannot or should not become what it is to be.
void requirePossible(const ModelFile &file, std::span<const DType> types, bool requantize)
{
    for (std::size_t i = 0; i < types.size(); ++i) {
        const ModelTensor &t = file.tensors()[i];
        if (*t.dtype != types[i] && info(*t.dtype).blockElements > 1 && !requantize)
            throwBadInput(nameOf(file, t) + " is quantised already (" + t.type +
                          "); to quantise it again loses more than to begin with the original");
    }
}

GgufWriter headerOf(const ModelFile &file, const Recipe &recipe, std::span<const DType> types)
{
    const Gguf &gguf = *file.gguf();
    GgufWriter out(gguf.alignment());
    for (std::size_t i = 0; i < gguf.metadata().size(); ++i) {
        const std::string_view key = gguf.metadata()[i].first;
        if (key != kFileTypeKey && key != kVersionKey && !key.starts_with(kSplitKeys))
            out.raw(key, gguf.rawMetadata()[i]);
    }
    out.u32(kVersionKey, kQuantizationVersion);
    out.u32(kFileTypeKey, recipe.fileType);
    for (std::size_t i = 0; i < types.size(); ++i) {
        const ModelTensor &t = file.tensors()[i];
        const std::vector<std::uint64_t> dims(t.shape.rbegin(), t.shape.rend());
        out.tensor(t.name, types[i], dims);
    }
    return out;
}

/// Copies or quantises tensors to the end of a file.
class TensorWriter
{
public:
    TensorWriter(const ModelFile &from, NewFile &to, int threads,
                 const QuantizeFileProgress &progress, const std::stop_token &stop)
        : m_from(from)
        , m_to(to)
        , m_pool(threads > 0 ? threads : cpuInfo().threads)
        , m_progress(progress)
        , m_stop(stop)
    {
        for (const ModelTensor &t : from.tensors())
            m_all += t.elements();
    }
    std::uint64_t all() const { return m_all; }

    void write(const ModelTensor &t, DType type)
    {
        const std::uint64_t count = t.elements();
        for (std::uint64_t first = 0; first < count; first += kPiece) {
            if (m_stop.stop_requested())
                throwCancelled();
            if (m_progress)
                m_progress(std::string(t.name),
                           static_cast<double>(m_done) /
                               static_cast<double>(std::max(m_all, std::uint64_t{1})));
            const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, count - first));
            piece(t, type, static_cast<std::size_t>(first), n);
            m_done += n;
            m_from.dropPages();
        }
    }

private:
    void piece(const ModelTensor &t, DType type, std::size_t first, std::size_t count)
    {
        const std::span<const std::byte> in =
            t.bytes.subspan(rowBytes(*t.dtype, first), rowBytes(*t.dtype, count));
        if (type == *t.dtype) {
            m_to.write(in);
            return;
        }
        m_made.resize(rowBytes(type, count));
        quantizeTensor({nameOf(m_from, t), *t.dtype, in, type, m_made}, m_pool, m_stop);
        m_to.write(m_made);
    }

    const ModelFile &m_from;
    NewFile &m_to;
    ThreadPool m_pool;
    const QuantizeFileProgress &m_progress;
    const std::stop_token &m_stop;
    std::vector<std::byte> m_made;
    std::uint64_t m_all = 0, m_done = 0;
};

void requireGguf(const ModelFile &file, const ModelSummary &summary)
{
    if (summary.problem)
        throwUnsupported(printable(file.path().string()) + ": " + *summary.problem);
    if (!file.gguf())
        throwUnsupported(printable(file.path().string()) +
                         ": not supported: a GGUF file of a folder of architecture " +
                         fireside::quoted(summary.architecture));
}

} // namespace

RecipeModel recipeModelOf(const Config &config)
{
    return {config.architecture, config.layers, config.experts.count,
            config.kvHeads > 0 ? config.heads / config.kvHeads : 1};
}

QuantizeFileResult quantizeFile(const QuantizeFileRequest &request,
                                const QuantizeFileProgress &progress, const std::stop_token &stop)
{
    std::error_code error;
    if (std::filesystem::equivalent(request.source, request.target, error))
        throwBadInput(printable(request.target.string()) + " is the model itself");
    const ModelFile file = ModelFile::open(request.source);
    return readUnchanged(file, [&] {
        requireGguf(file, describeModel(file));
        const Config config = readConfig(file);
        const std::vector<DType> types =
            typesFor(*request.recipe, recipeModelOf(config), tensorsOf(file));
        requirePossible(file, types, request.requantize);
        const GgufWriter header = headerOf(file, *request.recipe, types);

        NewFile target(request.target,
                       request.replace ? NewFile::Existing::Replace : NewFile::Existing::Refuse);
        target.requireRoom(header.fileBytes());
        header.writeHeader(target);
        TensorWriter tensors(file, target, request.threads, progress, stop);
        for (std::size_t i = 0; i < types.size(); ++i) {
            tensors.write(file.tensors()[i], types[i]);
            header.finishTensor(target);
        }
        file.requireUnchanged();
        target.keep();
        return QuantizeFileResult{file.fileBytes(), target.size(), tensors.all()};
    });
}

} // namespace fireside
