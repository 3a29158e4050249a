#include "engine/convert/same_settings.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/config.h"
#include "engine/tensor/blocks.h"

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace fireside {
namespace {

/// A file in memory that is all holes but for its header and the tensors that say something of the
/// model's form.
class HeaderFile
{
public:
    explicit HeaderFile(std::uint64_t size)
        : m_file(::memfd_create("fireside-gguf-header", MFD_CLOEXEC))
    {
        if (m_file < 0 || ::ftruncate(m_file, static_cast<off_t>(size)) != 0)
            throw Error(ErrorKind::Io, "the header of the new file cannot be checked");
    }
    ~HeaderFile()
    {
        if (m_file >= 0)
            ::close(m_file);
    }
    HeaderFile(const HeaderFile &) = delete;
    HeaderFile &operator=(const HeaderFile &) = delete;

    void write(std::uint64_t offset, std::span<const std::byte> bytes) const
    {
        while (!bytes.empty()) {
            const ssize_t done =
                ::pwrite(m_file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (done <= 0)
                throw Error(ErrorKind::Io, "the header of the new file cannot be checked");
            offset += static_cast<std::uint64_t>(done);
            bytes = bytes.subspan(static_cast<std::size_t>(done));
        }
    }
    std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(m_file); }

private:
    int m_file;
};

Config configOf(const GgufPlan &plan, std::span<const DType> types)
{
    const HeaderFile file(plan.keys.fileBytes());
    const std::vector<std::byte> header = plan.keys.header();
    file.write(0, header);
    std::uint64_t offset = header.size();
    for (std::size_t i = 0; i < types.size(); ++i) {
        const PlannedTensor &t = plan.tensors[i];
        if (t.parts.empty() && types[i] == DType::F32)
            file.write(offset, std::as_bytes(std::span(t.values)));
        const std::uint64_t size = rowBytes(types[i], static_cast<std::size_t>(t.elements()));
        offset += plan.keys.padded(size);
    }
    return readConfig(ModelFile(Gguf::open(file.path())));
}

/// Pairs that do not turn have a frequency of 0, or one that is divided by a huge number.
bool isNear(double a, double b)
{
    constexpr double kNone = 1e-20;
    return a == b || std::max(std::abs(a), std::abs(b)) < kNone ||
           std::abs(a - b) <= 1e-5 * std::max(std::abs(a), std::abs(b));
}

bool isSame(const Rope &a, const Rope &b)
{
    return isNear(double{a.attentionFactor}, double{b.attentionFactor}) &&
           std::equal(a.inverseFrequencies.begin(), a.inverseFrequencies.end(),
                      b.inverseFrequencies.begin(), b.inverseFrequencies.end(),
                      [](float x, float y) { return isNear(double{x}, double{y}); });
}

/// What a layer turns its heads by.
const Rope *ropeOf(const Config &c, const LayerConfig &l)
{
    if (l.mixer == Mixer::None || l.rope == RopeUse::None)
        return nullptr;
    return l.rope == RopeUse::Local ? &c.localRope : &c.rope;
}

std::int64_t windowOf(const Config &c, const LayerConfig &l)
{
    return l.window >= c.contextTrained ? 0 : l.window;
}

/// Latent attention has its own usual scale.
float scoreScaleOf(const Config &c, std::int64_t index)
{
    if (c.layer(index).mixer == Mixer::Latent && c.attentionScale == 0)
        return 1 / std::sqrt(static_cast<float>(c.latent.plainDim + c.latent.rotaryDim));
    return c.attention(index).scale;
}

/// The name of the first setting in which layers differ.
std::optional<std::string> differenceOf(const Config &a, const Config &b, std::int64_t index)
{
    const LayerConfig &x = a.layer(index), &y = b.layer(index);
    if (x.mixer != y.mixer)
        return "the kinds of layers";
    if (x.feedForward != y.feedForward)
        return "which layers are mixtures of experts";
    if (x.feedForward != FeedForward::None && x.feedForward != FeedForward::Mixture &&
        x.ffn != y.ffn)
        return "the width of feed-forward layers";
    const bool attends = x.mixer == Mixer::Attention || x.mixer == Mixer::Latent ||
                         x.mixer == Mixer::AttentionAndMamba2;
    if (!attends)
        return std::nullopt;
    // Falcon-H1's factor of keys lies in the weights of its GGUF files.
    if (x.mixer != Mixer::AttentionAndMamba2 &&
        !isNear(double{scoreScaleOf(a, index)}, double{scoreScaleOf(b, index)}))
        return "the scale of attention's scores";
    if (windowOf(a, x) != windowOf(b, y))
        return "the sliding window";
    if (x.chunk != y.chunk)
        return "chunks of attention";
    // Latent attention is written as one head of keys.
    if (x.mixer != Mixer::Latent && (x.headDim != y.headDim || x.heads != y.heads))
        return "the heads";
    const Rope *const own = ropeOf(a, x), *const made = ropeOf(b, y);
    if ((own == nullptr) != (made == nullptr) || (own && !isSame(*own, *made)))
        return "the rotary embedding (rope_parameters)";
    return std::nullopt;
}

std::optional<std::string> differenceOfExperts(const ExpertConfig &a, const ExpertConfig &b)
{
    if (!isNear(double{a.scale}, double{b.scale}))
        return "the scale of experts";
    if (a.groups != b.groups || a.usedGroups != b.usedGroups ||
        (a.groups > 1 && a.groupByBestTwo != b.groupByBestTwo))
        return "the groups of experts";
    if (a.score == b.score && a.normalize != b.normalize)
        return "whether weights of experts sum to 1 (norm_topk_prob)";
    return std::nullopt;
}

/// Of state spaces with heads.
std::optional<std::string> differenceOfScans(const StateSpaceConfig &a, const StateSpaceConfig &b)
{
    if (a.norm != StateSpaceConfig::GatedNorm::None && a.normGroups != b.normGroups)
        return "the groups of the state space's norm";
    if (a.stepMin != b.stepMin || a.stepMax != b.stepMax)
        return "the limits of the state space's steps (time_step_limit)";
    return std::nullopt;
}

bool hasScan(const Config &c)
{
    return std::any_of(c.each.begin(), c.each.end(), [](const LayerConfig &l) {
        return l.mixer == Mixer::Mamba2 || l.mixer == Mixer::AttentionAndMamba2;
    });
}

std::optional<std::string> differenceOf(const Config &a, const Config &b)
{
    struct Number
    {
        const char *name;
        float own, made;
    };
    // Of a family whose factors lie in the weights of its GGUF files the others differ.
    for (const Number &n :
         {Number{"the eps of norms", a.normEps, b.normEps},
          {"a limit of logits", a.logitSoftcap, b.logitSoftcap},
          {"a limit of attention's scores", a.attentionSoftcap, b.attentionSoftcap},
          {"a limit of q, k and v (clip_qkv)", a.clampQkv, b.clampQkv},
          {"ALiBi", a.alibiMaxBias, b.alibiMaxBias},
          {"the temperature of attention", a.temperature.scale, b.temperature.scale}})
        if (!isNear(double{n.own}, double{n.made}))
            return n.name;
    if (a.shortContext != b.shortContext && a.contextTrained > a.shortContext)
        return "the original context (original_max_position_embeddings)";
    if (a.shortContext > 0 && !isSame(a.shortRope, b.shortRope))
        return "the rotary embedding of short texts (rope_parameters)";
    if (a.activation != b.activation)
        return "the activation";
    if (a.experts.count > 0)
        if (auto difference = differenceOfExperts(a.experts, b.experts))
            return difference;
    if (hasScan(a))
        if (auto difference = differenceOfScans(a.stateSpace, b.stateSpace))
            return difference;
    if (a.score.there &&
        (a.score.pooling != b.score.pooling || a.score.activation != b.score.activation))
        return "the head that scores";
    for (std::int64_t i = 0; i < a.layers; ++i)
        if (auto difference = differenceOf(a, b, i))
            return difference;
    return std::nullopt;
}

} // namespace

void requireSameSettings(const ModelFile &folder, const GgufPlan &plan,
                         std::span<const DType> types)
{
    const std::string where =
        printable(folder.path().string()) + ": not supported: in a GGUF file of this model: ";
    std::optional<Config> made;
    try {
        made = configOf(plan, types);
    } catch (const Error &error) {
        if (error.kind() == ErrorKind::Io)
            throw;
        throwUnsupported(where + error.what());
    }
    if (const auto difference = differenceOf(readConfig(folder), *made))
        throwUnsupported(where + *difference);
}

} // namespace fireside
