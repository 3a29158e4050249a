#include "engine/convert/quantize_file.h"

#include "engine/convert/gguf_plan.h"
#include "engine/convert/same_settings.h"
#include "engine/convert/tokenizer_keys.h"
#include "engine/core/cpu_info.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/core/thread_pool.h"
#include "engine/files/model_file.h"
#include "engine/files/new_file.h"
#include "engine/model/config.h"
#include "engine/model/describe.h"
#include "engine/model/quantize/load_types.h"
#include "engine/tensor/quantize.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace fireside {
namespace {

constexpr std::uint32_t kQuantizationVersion = 2; // of the layouts in blocks.h

std::int64_t dimension(const PlannedTensor &t, std::size_t fromLast)
{
    const std::size_t rank = t.shape.size();
    return fromLast < rank ? static_cast<std::int64_t>(t.shape[rank - 1 - fromLast]) : 1;
}

std::vector<RecipeTensor> tensorsOf(const GgufPlan &plan)
{
    std::vector<RecipeTensor> tensors;
    for (const PlannedTensor &t : plan.tensors) {
        RecipeTensor tensor{t.name, 1, dimension(t, 1), dimension(t, 0), t.type};
        for (std::size_t i = 2; i < t.shape.size(); ++i)
            tensor.depth *= dimension(t, i);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

std::string nameOf(const ModelFile &file, const PlannedTensor &tensor)
{
    const std::string_view own = tensor.parts.empty() ? tensor.name : tensor.parts.front()->name;
    return printable(file.path().string()) + ": tensor " + fireside::quoted(own);
}

/// What each tensor becomes. Weights that are quantised in a folder stay as they are, as they do
/// when it is loaded, if GGUF has their type; those of a GGUF file are an error.
std::vector<DType> typesOfRecipe(const ModelFile &file, const GgufPlan &plan,
                                 const QuantizeFileRequest &request)
{
    std::vector<DType> types =
        typesFor(*request.recipe, recipeModelOf(readConfig(file)), tensorsOf(plan));
    for (std::size_t i = 0; i < types.size(); ++i) {
        const PlannedTensor &t = plan.tensors[i];
        if (t.small && info(types[i]).blockElements == 1)
            types[i] = t.type;
        if (t.type == types[i] || isFloatType(t.type) || request.requantize)
            continue;
        if (file.gguf())
            throwBadInput(nameOf(file, t) + " is quantised already (" + name(t.type) +
                          "); to quantise it again loses more than to begin with the original");
        if (isInGguf(t.type))
            types[i] = t.type;
    }
    return types;
}

/// Types that only folders have are F16 in GGUF.
std::vector<DType> wantedTypes(const ModelFile &file, const GgufPlan &plan,
                               const QuantizeFileRequest &request)
{
    std::vector<DType> types;
    if (request.recipe)
        types = typesOfRecipe(file, plan, request);
    else
        for (const PlannedTensor &t : plan.tensors)
            types.push_back(t.type);
    for (DType &type : types)
        type = isInGguf(type) ? type : DType::F16;
    return types;
}

/// general.file_type of weights that stay as they are: that of most numbers.
std::optional<std::uint32_t> fileTypeOf(const GgufPlan &plan)
{
    std::map<DType, std::uint64_t> share;
    for (const PlannedTensor &t : plan.tensors)
        share[t.type] += t.elements();
    const auto most =
        std::max_element(share.begin(), share.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    for (const Recipe &recipe : recipes())
        if (most != share.end() && recipe.type == most->first && recipe.name == name(most->first))
            return recipe.fileType;
    return std::nullopt;
}

void finishHeader(GgufPlan &plan, const QuantizeFileRequest &request, std::span<const DType> types,
                  bool hasTypes)
{
    GgufWriter &out = plan.keys;
    if (request.recipe || !hasTypes)
        out.u32(kVersionKey, kQuantizationVersion);
    if (request.recipe)
        out.u32(kFileTypeKey, request.recipe->fileType);
    else if (const auto type = fileTypeOf(plan); type && !hasTypes)
        out.u32(kFileTypeKey, *type);
    for (std::size_t i = 0; i < types.size(); ++i) {
        const PlannedTensor &t = plan.tensors[i];
        const std::vector<std::uint64_t> dims(t.shape.rbegin(), t.shape.rend());
        out.tensor(t.name, types[i], dims);
    }
}

/// Copies or quantises tensors to the end of a file.
class TensorWriter
{
public:
    TensorWriter(const ModelFile &from, const GgufPlan &plan, NewFile &to, int threads,
                 const QuantizeFileProgress &progress, const std::stop_token &stop)
        : m_from(from)
        , m_to(to)
        , m_pool(threads > 0 ? threads : cpuInfo().threads)
        , m_progress(progress)
        , m_stop(stop)
    {
        for (const PlannedTensor &t : plan.tensors)
            m_all += t.elements();
    }
    std::uint64_t all() const { return m_all; }

    void write(const PlannedTensor &t, DType type)
    {
        readPlanned(t, [&](DType from, std::span<const std::byte> bytes) {
            const std::size_t step = rowBytes(from, kPieceNumbers);
            for (std::size_t first = 0; first < bytes.size(); first += step) {
                if (m_stop.stop_requested())
                    throwCancelled();
                if (m_progress)
                    m_progress(t.name, static_cast<double>(m_done) /
                                           static_cast<double>(std::max(m_all, std::uint64_t{1})));
                piece(t, from, bytes.subspan(first, std::min(step, bytes.size() - first)), type);
            }
            m_from.dropPages();
        });
    }

private:
    void piece(const PlannedTensor &t, DType from, std::span<const std::byte> in, DType type)
    {
        const std::size_t count = in.size() / info(from).blockBytes * info(from).blockElements;
        m_done += count;
        if (type == from) {
            m_to.write(in);
            return;
        }
        m_made.resize(rowBytes(type, count));
        quantizeTensor({nameOf(m_from, t), from, in, type, m_made}, m_pool, m_stop);
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

std::vector<const MappedFile *> mappedFiles(const ModelFile &file)
{
    if (file.gguf())
        return file.gguf()->files();
    std::vector<const MappedFile *> files{&file.folder()->configFile()};
    for (const Safetensors &shard : file.folder()->shards())
        files.push_back(&shard.file());
    return files;
}

/// What the folder recommends for drawing replies, by llama.cpp's keys.
void writeRecommended(const RecommendedSampling &r, GgufWriter &keys)
{
    const auto real = [&](const char *key, const std::optional<double> &value) {
        if (value)
            keys.f32(key, static_cast<float>(*value));
    };
    real("general.sampling.temp", r.temperature);
    if (r.topK)
        keys.u32("general.sampling.top_k", static_cast<std::uint32_t>(*r.topK));
    real("general.sampling.top_p", r.topP);
    real("general.sampling.min_p", r.minP);
    real("general.sampling.penalty_repeat", r.repeatPenalty);
}

/// Error for a model that this engine would not load: its keys and the shapes of all weights.
GgufPlan checkedPlan(const ModelFile &file, const QuantizeFileRequest &request)
{
    const ModelSummary summary = describeModel(file);
    if (summary.problem)
        throwUnsupported(printable(file.path().string()) + ": " + *summary.problem);
    if (file.gguf())
        return planOfGguf(file, request.recipe != nullptr);
    static_cast<void>(weightsAskedOf(file));
    GgufPlan plan = planOfFolder(file);
    plan.keys.string("general.name", summary.name);
    plan.keys.string("general.size_label", sizeLabelOf(plan));
    writeRecommended(summary.recommended, plan.keys);
    const std::filesystem::path &folder = file.path();
    if (hasTokenizer(folder))
        writeTokenizerKeys(folder, static_cast<std::size_t>(readConfig(file).vocabulary),
                           plan.keys);
    if (const auto text = file.chatTemplate())
        plan.keys.string("tokenizer.chat_template", *text);
    return plan;
}

} // namespace

QuantizeFileResult quantizeFile(const QuantizeFileRequest &request,
                                const QuantizeFileProgress &progress, const std::stop_token &stop)
{
    std::error_code error;
    const ModelFile file = ModelFile::open(request.source);
    for (const MappedFile *part : mappedFiles(file))
        if (std::filesystem::equivalent(part->path(), request.target, error))
            throwBadInput(printable(request.target.string()) + " is the model itself");
    return readUnchanged(file, [&] {
        GgufPlan plan = checkedPlan(file, request);
        const std::vector<DType> types = wantedTypes(file, plan, request);
        finishHeader(plan, request, types, file.gguf() != nullptr);
        if (file.folder())
            requireSameSettings(file, plan, types);

        NewFile target(request.target,
                       request.replace ? NewFile::Existing::Replace : NewFile::Existing::Refuse);
        target.requireRoom(plan.keys.fileBytes());
        plan.keys.writeHeader(target);
        TensorWriter tensors(file, plan, target, request.threads, progress, stop);
        for (std::size_t i = 0; i < types.size(); ++i) {
            tensors.write(plan.tensors[i], types[i]);
            plan.keys.finishTensor(target);
        }
        file.requireUnchanged();
        target.keep();
        return QuantizeFileResult{file.fileBytes(), target.size(), tensors.all()};
    });
}

} // namespace fireside
