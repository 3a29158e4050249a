#include "engine/model/describe.h"

#include "engine/core/cpu_info.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/gguf_split.h"
#include "engine/files/model_file.h"
#include "engine/files/packed_scheme.h"
#include "engine/model/architectures.h"
#include "engine/model/blocks/draft_head.h"
#include "engine/model/config.h"
#include "engine/model/embedding_remarks.h"
#include "engine/model/family.h"
#include "engine/model/file_type_names.h"
#include "engine/model/measured_model.h"
#include "engine/model/quantize/load_types.h"
#include "engine/model/tensor_names.h"
#include "engine/text/remarks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

namespace fireside {
namespace {

constexpr std::int64_t kMaxShownContext = 1 << 30;
constexpr std::uint64_t kProgram = std::uint64_t{32} << 20; // its tokenizer and text

struct Hint
{
    double bitsBelow; // bits per weight
    const char *text;
};
constexpr std::array kHints{
    Hint{2, "below 2 bits: very small, with heavy losses"},
    Hint{2.5, "about 2 bits: small, with clear losses"},
    Hint{3.9, "about 3 bits: small, with noticeable losses"},
    Hint{5.05, "about 4 bits: good balance of size and quality"},
    Hint{6.1, "about 5 bits: close to the original"},
    Hint{7.5, "about 6 bits: hardly any loss"},
    Hint{10, "8 bits: practically the original"},
    Hint{20, "16 bits: the original"},
    Hint{1e9, "32 bits: full precision"},
};

std::string hintFor(std::uint64_t weightBytes, std::uint64_t parameters)
{
    if (parameters == 0)
        return {};
    return quantisationHint(8.0 * static_cast<double>(weightBytes) /
                            static_cast<double>(parameters));
}

/// The type that most weights have.
std::string commonTypeOf(const ModelFile &file)
{
    std::map<std::string, std::uint64_t> share;
    for (const ModelTensor &t : file.tensors())
        if (!isOfOtherInput(file, t.name))
            share[t.type] += t.elements();
    const auto most =
        std::max_element(share.begin(), share.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    return most == share.end() ? "" : most->first;
}

std::string quantisationOf(const ModelFile &file)
{
    const auto plain = [](std::string_view type) {
        return type == "F32" || type == "F16" || type == "BF16";
    };
    const std::string common = commonTypeOf(file);
    if (const Gguf *gguf = file.gguf()) {
        if (const auto id = gguf->findUnsigned("general.file_type")) {
            const auto it = std::find_if(kFileTypes.begin(), kFileTypes.end(),
                                         [&](const FileTypeName &t) { return t.id == *id; });
            // Tools that only copy the key leave that of the file before quantisation.
            if (it != kFileTypes.end() && (!plain(it->name) || plain(common)))
                return it->name;
        }
    }
    return common;
}

/// Eight bytes at a time, since a header may have tens of megabytes; the steps are those of
/// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), and the high bits come back to the low
/// ones.
class HeaderHash
{
public:
    void add(std::uint64_t word)
    {
        m_hash = (m_hash ^ word) * 0x9E3779B97F4A7C15u;
        m_hash ^= m_hash >> 32;
    }
    void add(std::span<const std::byte> bytes)
    {
        for (; bytes.size() >= 8; bytes = bytes.subspan(8))
            add(wordOf(bytes.first(8)));
        add(wordOf(bytes));
        add(bytes.size());
    }
    std::uint64_t value() const { return m_hash; }

private:
    static std::uint64_t wordOf(std::span<const std::byte> bytes)
    {
        std::uint64_t word = 0;
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte *>(&word));
        return word;
    }
    std::uint64_t m_hash = 0xcbf29ce484222325u;
};

std::string fingerprintOf(const ModelFile &file)
{
    HeaderHash hash;
    for (const std::span<const std::byte> header : file.headers())
        hash.add(header);
    hash.add(file.fileBytes());
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%016llx",
                  static_cast<unsigned long long>(hash.value()));
    return text.data();
}

/// A head for drafting in a file of its own, or a small model that needs another's hidden states.
bool draftsForAnother(const ModelFile &file, std::string_view architecture)
{
    std::string name(architecture);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char *kind : {"eagle", "medusa", "mtp", "nextn", "dflash", "speculator"})
        if (name.find(kind) != std::string::npos)
            return true;
    const auto &tensors = file.tensors();
    const auto any = [&](std::string_view part) {
        return std::any_of(tensors.begin(), tensors.end(), [&](const ModelTensor &t) {
            return t.name.find(part) != std::string_view::npos;
        });
    };
    return file.gguf() != nullptr && any(".nextn.") && !any("blk.0.");
}

/// Files that belong to another model: what GGUF's general.type and special architectures say.
std::optional<std::string> sidecarOf(const ModelFile &file, const std::string &architecture)
{
    const std::string type(file.gguf() ? file.gguf()->findString("general.type").value_or("") : "");
    if (type == "mmproj" || architecture == "clip")
        return "is the part of another model that reads pictures or sound (mmproj), no model by "
               "itself";
    if (type == "adapter")
        return "is an adapter (LoRA) for another model, no model by itself";
    if (draftsForAnother(file, architecture))
        return "drafts for another model (MTP, EAGLE, Medusa or the like), no model by itself";
    if (type == "imatrix" || architecture == "imatrix")
        return "is an importance matrix for quantising another model, no model";
    return std::nullopt;
}

std::optional<std::string> problemOf(const ModelFile &file, const std::string &architecture)
{
    if (auto sidecar = sidecarOf(file, architecture))
        return sidecar;
    for (const ModelTensor &t : file.tensors())
        if (t.name.find(".cross_attn") != std::string_view::npos)
            return "not supported: layers with cross-attention, which cannot be left out (tensor " +
                   fireside::quoted(t.name) + ")";
    if (!supportsArchitecture(architecture))
        return "not supported: architecture " + fireside::quoted(architecture);
    if (file.problem())
        return "not supported: " + *file.problem();
    for (const ModelTensor &t : file.tensors())
        if ((!t.dtype || *t.dtype == DType::I32) && !mayBeLeftOut(file, t.name))
            return "not supported: weight type " + t.type + " (tensor " + fireside::quoted(t.name) +
                   ")";
    if (file.tensors().empty())
        return "holds no weights";
    return std::nullopt;
}

/// Callers name the file themselves.
std::string withoutPath(std::string text, const std::string &path)
{
    if (text.compare(0, path.size(), path) == 0)
        text.erase(0, text.find_first_not_of(": ", path.size()));
    return text;
}

/// Of each expert's weights a token uses those of `used` in `count`.
std::uint64_t activeParameters(const ModelFile &file, const Config &config)
{
    double active = 0;
    for (const ModelTensor &t : file.tensors()) {
        if (isOfOtherInput(file, t.name))
            continue;
        const bool expert = t.name.find("_exps.") != std::string_view::npos ||
                            t.name.find(".experts.") != std::string_view::npos;
        const double share = expert && config.experts.count > 0
                                 ? static_cast<double>(config.experts.used) /
                                       static_cast<double>(config.experts.count)
                                 : 1;
        active += share * static_cast<double>(t.elements());
    }
    return static_cast<std::uint64_t>(active);
}

/// What sessions keep of each layer.
void addKept(const Config &config, MemoryPlan &plan)
{
    const std::int64_t copies = 1 + config.stateCheckpoints();
    for (std::int64_t i = 0; i < config.allLayers(); ++i) {
        const KvShape shape = config.kv(i);
        plan.kept.push_back(
            {.layer = static_cast<std::size_t>(std::min(i, config.layers - 1)),
             .heads = shape.heads,
             .keyDim = shape.keyDim,
             .valueDim = shape.valuesInKeys ? 0 : shape.valueDim,
             .states = static_cast<std::uint64_t>(copies * config.stateSize(i)) * sizeof(float)});
        if (config.layer(i).kvFrom >= 0)
            plan.together =
                std::min(plan.together, static_cast<std::size_t>(config.layer(i).kvFrom));
    }
}

/// What threads of the CPU have for products, each.
std::uint64_t threadWork(std::int64_t rows)
{
    constexpr std::int64_t kResults = 2 * 128 * sizeof(float); // for each row
    constexpr std::uint64_t kPanels = std::uint64_t{512} << 10;
    return static_cast<std::uint64_t>(rows * kResults) + kPanels;
}

MemoryPlan planFor(MeasuredModel &model, int context, DType kvType)
{
    const Config &config = model.config();
    MemoryPlan plan;
    const auto &parts = model.parts();
    for (const MeasuredWeights &part : parts) {
        plan.layerWeights.push_back(part.onCpu);
        plan.madeWeights += part.made;
        plan.gpu.softwarePieces.push_back(part.inPlanes);
    }
    for (const MeasuredWeights &part : model.partsWithMatrices())
        plan.gpu.pieces.push_back(part.inPlanes);
    for (const MeasuredWeights &layer : model.apart().experts) {
        plan.experts.weights.push_back(layer.onCpu);
        plan.gpu.expertPieces.push_back(layer.inPlanes);
    }
    for (const MeasuredWeights &layer : model.apart().rest)
        plan.gpu.softwareRestPieces.push_back(layer.inPlanes);
    for (const MeasuredWeights &layer : model.apart().restWithMatrices)
        plan.gpu.restPieces.push_back(layer.inPlanes);
    plan.embeddingWeights = plan.layerWeights.front();
    plan.outputWeights = plan.layerWeights.back();
    plan.layerWeights.erase(plan.layerWeights.begin());
    plan.layerWeights.pop_back();
    plan.gpu.outputElsewhere = model.outputElsewhere().inPlanes;
    plan.tiedWeights =
        model.outputElsewhere().onCpu - std::min(model.outputElsewhere().onCpu, parts.back().onCpu);
    addKept(config, plan);
    plan.setContext(context, kvType);

    // An encoder has a sequence in one pass.
    const std::int64_t least = config.encoder ? context : 0;
    const std::int64_t cpuRows = std::max(least, kPromptChunk);
    const std::int64_t gpuRows =
        std::max(least, config.encoder ? kGpuEncoderRows : kGpuPromptChunk);
    const MeasuredNeeds onCpu = model.needs(cpuRows), onGpu = model.needs(gpuRows);
    plan.scratch = onCpu.own;
    plan.gpu.softwareScratch = onCpu.scratch;
    plan.gpu.scratch = onGpu.scratch;
    plan.gpu.cpuScratch = onGpu.own;
    plan.gpu.byteProducts = onCpu.byteForms > 0;
    plan.work = onCpu.byteForms + onCpu.floatForms +
                static_cast<std::uint64_t>(cpuInfo().threads) * threadWork(cpuRows);
    plan.reserve = kProgram;
    plan.rows = static_cast<int>(cpuRows);
    plan.gpu.rows = static_cast<int>(gpuRows);
    plan.carried = static_cast<std::uint64_t>(config.streamWidth()) * sizeof(float);
    if (plan.experts.there()) {
        plan.experts.scratch = model.expertNeeds(cpuRows).own;
        plan.experts.gpuScratch = model.expertNeeds(gpuRows).own;
        plan.experts.handed = onGpu.shared / static_cast<std::uint64_t>(gpuRows);
    }
    plan.steps = model.steps(kPromptChunk);
    plan.chunkRows = static_cast<int>(kPromptChunk);
    return plan;
}

/// The last part of its path; in the Hugging Face cache, where folders are named by commit, the
/// repository: …/models--OWNER--NAME/snapshots/COMMIT.
std::string nameOfFolder(const std::filesystem::path &path)
{
    const std::filesystem::path folder =
        std::filesystem::absolute(path / "").lexically_normal().parent_path();
    if (folder.parent_path().filename() == "snapshots") {
        const std::string repository = folder.parent_path().parent_path().filename().string();
        const std::size_t name = repository.rfind("--");
        if (repository.starts_with("models--") && name != std::string::npos)
            return repository.substr(name + 2);
    }
    return folder.filename().string();
}

/// Without its ending, and without the numbers of a part.
std::string nameOfGguf(const std::filesystem::path &path)
{
    const auto part = splitNameOf(path);
    return part ? part->stem : path.stem().string();
}

/// What is said of itself, apart from the numbers of the network.
void readIdentity(const ModelFile &file, ModelSummary &s)
{
    if (const Gguf *gguf = file.gguf()) {
        const auto text = [&](const char *key) {
            return std::string(gguf->findString(key).value_or(""));
        };
        s.name = text("general.name");
        s.license = text("general.license");
        s.description = text("general.description");
    }
    if (s.name.empty())
        s.name = file.gguf() ? nameOfGguf(s.path) : nameOfFolder(s.path);
    s.hasChatTemplate = file.chatTemplate().has_value();
}

/// The numbers shown even when the model cannot run.
void readNumbers(const ModelFile &file, ModelSummary &s)
{
    const auto clipped = [](std::uint64_t value) {
        return static_cast<int>(std::min<std::uint64_t>(value, 1u << 30));
    };
    const auto number = [&](const char *ggufKey, const char *folderKey) {
        if (const Gguf *gguf = file.gguf())
            return clipped(gguf->findUnsigned(s.architecture + '.' + ggufKey).value_or(0));
        const nlohmann::json &config = file.folder()->config();
        const auto it = config.find(folderKey);
        return it != config.end() && it->is_number_unsigned() ? clipped(it->get<std::uint64_t>())
                                                              : 0;
    };
    s.contextTrained = number("context_length", "max_position_embeddings");
    s.layers = number("block_count", "num_hidden_layers");
    const ModelTensor *t = file.findTensor(tensorNameIn(file, "token_embd.weight"));
    if (t && t->shape.size() == 2)
        s.vocabulary = clipped(t->shape[0]);
}

std::string countText(std::uint64_t count)
{
    struct Unit
    {
        double size;
        char letter;
    };
    std::array<char, 32> text{};
    const double n = static_cast<double>(count);
    for (const Unit unit : {Unit{1e12, 'T'}, Unit{1e9, 'B'}, Unit{1e6, 'M'}, Unit{1e3, 'k'}}) {
        if (n < 0.9995 * unit.size)
            continue;
        const double value = n / unit.size;
        std::snprintf(text.data(), text.size(), value < 9.95 ? "%.1f%c" : "%.0f%c", value,
                      unit.letter);
        return text.data();
    }
    return std::to_string(count);
}

} // namespace

std::string quantisationHint(double bitsPerWeight)
{
    const auto hint = std::find_if(kHints.begin(), kHints.end() - 1,
                                   [&](const Hint &h) { return bitsPerWeight < h.bitsBelow; });
    return hint->text;
}

std::string parametersText(const ModelSummary &s)
{
    if (s.activeParameters == 0 || s.activeParameters >= s.parameters)
        return countText(s.parameters);
    return countText(s.parameters) + ", " + countText(s.activeParameters) + " active";
}

ModelSummary describeModel(const std::filesystem::path &path, int context, DType kvType,
                           const Recipe *quantize)
{
    return describeModel(ModelFile::open(path), context, kvType, quantize);
}

namespace {

/// Folders may ask for keys and values in a type of their own.
void remarkOnCache(const ModelFile &file, std::vector<std::string> &remarks)
{
    if (!file.folder())
        return;
    if (const auto cache = packedSchemeOf(file.folder()->config()).cache)
        remarks.push_back("The makers kept the model's keys and values in " + printable(*cache) +
                          "; here they have the type that the settings say.");
}

/// What the vectors of an embedding model are made of, where its files do not say it.
void remarkOnVectors(const ModelFile &file, const Config &config, ModelSummary &s)
{
    if (!isForVectors(file, config, s.name))
        return;
    if (auto remark = poolingRemark(config))
        s.remarks.push_back(std::move(*remark));
    if (config.embedding != EmbeddingForm::Last)
        return;
    if (auto remark = endTokenRemark(file))
        s.remarks.push_back(std::move(*remark));
}

ModelSummary summaryOf(const ModelFile &file, int context, DType kvType, const Recipe *quantize,
                       bool drafts)
{
    ModelSummary s;
    s.path = file.path();
    s.fileBytes = file.fileBytes();
    s.architecture = architectureOf(file);
    readIdentity(file, s);
    s.quantisation = quantisationOf(file);
    s.fingerprint = fingerprintOf(file);
    s.recommended = recommendedSampling(file);
    std::uint64_t weightBytes = 0;
    bool reads = false; // pictures or sound
    for (const ModelTensor &t : file.tensors()) {
        if (isOfOtherInput(file, t.name)) {
            reads = true;
            continue;
        }
        s.parameters += t.elements();
        weightBytes += t.fileBytes();
    }
    s.activeParameters = s.parameters;
    s.quantisationHint = hintFor(weightBytes, s.parameters);
    readNumbers(file, s);
    s.problem = problemOf(file, s.architecture);
    if (s.problem)
        return s;
    try {
        Config config = readConfig(file);
        s.draftHeads = static_cast<int>(countDraftHeads(file, config));
        if (drafts)
            addDraftHeads(file, familyOf(file), config);
        s.encoder = config.encoder;
        s.activeParameters = activeParameters(file, config);
        s.contextTrained = static_cast<int>(std::min(config.contextTrained, kMaxShownContext));
        s.layers = static_cast<int>(config.layers);
        // More than the model was trained for would only give noise.
        const int asked = context > 0 ? context : kDefaultContextLimit;
        const LoadTypes types = quantize ? LoadTypes(file, *quantize) : LoadTypes();
        MeasuredModel measured(file, drafts, types.any() ? &types : nullptr);
        s.plan = planFor(measured, std::min(asked, s.contextTrained), kvType);
        s.plan->madeWeights += types.bytes();
        if (types.any())
            s.quantisedTo = quantize->name;
        if (!s.encoder)
            s.remarks = textRemarks(file);
        if (reads)
            s.remarks.emplace_back("The model has parts for pictures or sound, which are not read: "
                                   "it can be given text only.");
        remarkOnCache(file, s.remarks);
        remarkOnVectors(file, config, s);
    } catch (const Error &e) {
        s.problem = withoutPath(e.what(), printable(file.path().string()));
    }
    return s;
}

} // namespace

ModelSummary describeModel(const ModelFile &file, int context, DType kvType, const Recipe *quantize,
                           bool drafts)
{
    return readUnchanged(file, [&] { return summaryOf(file, context, kvType, quantize, drafts); });
}

} // namespace fireside
