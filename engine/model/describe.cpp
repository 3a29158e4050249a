#include "engine/model/describe.h"

#include "engine/core/error.h"
#include "engine/files/gguf.h"
#include "engine/model/architectures.h"
#include "engine/model/config.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <span>

namespace fireside {
namespace {

struct FileTypeName
{
    std::uint64_t id;
    const char *name;
};
/// general.file_type: the mix a file was written with (format facts of the GGUF specification).
constexpr std::array kFileTypes{
    FileTypeName{0, "F32"},     FileTypeName{1, "F16"},      FileTypeName{2, "Q4_0"},
    FileTypeName{3, "Q4_1"},    FileTypeName{7, "Q8_0"},     FileTypeName{8, "Q5_0"},
    FileTypeName{9, "Q5_1"},    FileTypeName{10, "Q2_K"},    FileTypeName{11, "Q3_K_S"},
    FileTypeName{12, "Q3_K_M"}, FileTypeName{13, "Q3_K_L"},  FileTypeName{14, "Q4_K_S"},
    FileTypeName{15, "Q4_K_M"}, FileTypeName{16, "Q5_K_S"},  FileTypeName{17, "Q5_K_M"},
    FileTypeName{18, "Q6_K"},   FileTypeName{19, "IQ2_XXS"}, FileTypeName{20, "IQ2_XS"},
    FileTypeName{21, "Q2_K_S"}, FileTypeName{22, "IQ3_XS"},  FileTypeName{23, "IQ3_XXS"},
    FileTypeName{24, "IQ1_S"},  FileTypeName{25, "IQ4_NL"},  FileTypeName{26, "IQ3_S"},
    FileTypeName{27, "IQ3_M"},  FileTypeName{28, "IQ2_S"},   FileTypeName{29, "IQ2_M"},
    FileTypeName{30, "IQ4_XS"}, FileTypeName{31, "IQ1_M"},   FileTypeName{32, "BF16"},
    FileTypeName{36, "TQ1_0"},  FileTypeName{37, "TQ2_0"},   FileTypeName{38, "MXFP4"},
};

struct Hint
{
    double bitsBelow; // bits per weight
    const char *text;
};
constexpr std::array kHints{
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
    const double bits = 8.0 * static_cast<double>(weightBytes) / static_cast<double>(parameters);
    return std::find_if(kHints.begin(), kHints.end(),
                        [&](const Hint &h) { return bits < h.bitsBelow; })
        ->text;
}

std::uint64_t elements(const GgufTensor &t)
{
    return t.dims[0] * t.dims[1] * t.dims[2] * t.dims[3];
}

std::string quantisationOf(const Gguf &gguf)
{
    if (const auto id = gguf.findUnsigned("general.file_type")) {
        const auto it = std::find_if(kFileTypes.begin(), kFileTypes.end(),
                                     [&](const FileTypeName &t) { return t.id == *id; });
        if (it != kFileTypes.end())
            return it->name;
    }
    std::map<std::uint32_t, std::uint64_t> share;
    for (const GgufTensor &t : gguf.tensors())
        share[t.ggmlType] += elements(t);
    const auto most =
        std::max_element(share.begin(), share.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    return most == share.end() ? "" : ggmlTypeName(most->first);
}

/// FNV-1a over the header and the file's size; http://www.isthe.com/chongo/tech/comp/fnv/
std::string fingerprintOf(const Gguf &gguf)
{
    const auto bytes = gguf.file().bytes();
    std::uint64_t end = bytes.size();
    for (const GgufTensor &t : gguf.tensors())
        end = std::min(end, t.fileOffset);
    std::uint64_t hash = 0xcbf29ce484222325u;
    const auto mix = [&](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3u; };
    for (const std::byte b : bytes.first(static_cast<std::size_t>(end)))
        mix(static_cast<std::uint64_t>(b));
    for (int shift = 0; shift < 64; shift += 8)
        mix((bytes.size() >> shift) & 0xff);
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
    return text.data();
}

std::optional<std::string> problemOf(const Gguf &gguf, const std::string &architecture)
{
    if (const auto parts = gguf.findUnsigned("split.count"); parts && *parts > 1)
        return "not supported: a model split into " + std::to_string(*parts) + " files";
    if (!supportsArchitecture(architecture))
        return "not supported: architecture '" + architecture + "'";
    for (const GgufTensor &t : gguf.tensors())
        if (!t.dtype || *t.dtype == DType::I32)
            return "not supported: weight type " + ggmlTypeName(t.ggmlType) + " (tensor '" +
                   std::string(t.name) + "')";
    if (gguf.tensors().empty())
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

MemoryPlan planFor(const Gguf &gguf, const Config &config, int context, DType kvType)
{
    MemoryPlan plan;
    plan.layerWeights.resize(static_cast<std::size_t>(config.layers));
    for (const GgufTensor &t : gguf.tensors()) {
        unsigned layer = 0;
        if (std::sscanf(std::string(t.name).c_str(), "blk.%u.", &layer) == 1 &&
            layer < plan.layerWeights.size())
            plan.layerWeights[layer] += t.bytes.size();
        else if (t.name == "token_embd.weight")
            plan.embeddingWeights += t.bytes.size();
        else
            plan.outputWeights += t.bytes.size();
    }
    plan.context = context;
    plan.kvType = kvType;
    plan.kvPerLayer = 2 * rowBytes(kvType, static_cast<std::size_t>(config.headDim)) *
                      static_cast<std::uint64_t>(config.kvHeads) *
                      static_cast<std::uint64_t>(context);
    plan.scratch = scratchBytes(config, kGpuPromptChunk);
    plan.reserve = std::uint64_t{150} << 20; // the program, its tokenizer and kernels' work space
    return plan;
}

} // namespace

ModelSummary describeModel(const std::filesystem::path &path, int context, DType kvType)
{
    return describeModel(Gguf::open(path), context, kvType);
}

ModelSummary describeModel(const Gguf &gguf, int context, DType kvType)
{
    ModelSummary s;
    s.path = gguf.path();
    s.fileBytes = gguf.file().bytes().size();
    s.name = std::string(gguf.findString("general.name").value_or(""));
    if (s.name.empty())
        s.name = s.path.stem().string();
    s.architecture = std::string(gguf.requireString("general.architecture"));
    s.quantisation = quantisationOf(gguf);
    s.license = std::string(gguf.findString("general.license").value_or(""));
    s.description = std::string(gguf.findString("general.description").value_or(""));
    s.hasChatTemplate = gguf.find("tokenizer.chat_template") != nullptr;
    s.fingerprint = fingerprintOf(gguf);
    std::uint64_t weightBytes = 0;
    for (const GgufTensor &t : gguf.tensors()) {
        s.parameters += elements(t);
        weightBytes += t.bytes.size();
    }
    s.quantisationHint = hintFor(weightBytes, s.parameters);
    const std::string prefix = s.architecture + '.';
    const auto number = [&](const char *key) {
        const auto value = gguf.findUnsigned(prefix + key);
        return static_cast<int>(std::min<std::uint64_t>(value.value_or(0), 1u << 30));
    };
    s.contextTrained = number("context_length");
    s.layers = number("block_count");
    if (const GgufTensor *t = gguf.findTensor("token_embd.weight"))
        s.vocabulary = static_cast<int>(std::min<std::uint64_t>(t->dims[1], 1u << 30));
    s.problem = problemOf(gguf, s.architecture);
    if (s.problem)
        return s;
    try {
        const Config config = readConfig(gguf);
        // More than the model was trained for would only give noise.
        const int asked = context > 0 ? context : kDefaultContextLimit;
        s.plan = planFor(gguf, config, std::min(asked, s.contextTrained), kvType);
    } catch (const Error &e) {
        s.problem = withoutPath(e.what(), gguf.path().string());
    }
    return s;
}

} // namespace fireside
