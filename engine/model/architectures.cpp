#include "engine/model/architectures.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/blocks/draft_head.h"
#include "engine/model/decoder.h"
#include "engine/model/encoder.h"
#include "engine/model/families/families.h"
#include "engine/model/json_keys.h"

#include <algorithm>
#include <array>

namespace fireside {
namespace {

constexpr std::array kMakers{&llamaFamilies,  &qwenFamilies,    &gemmaFamilies,     &phiFamilies,
                             &latentFamilies, &mixtureFamilies, &olmoFamilies,      &gptFamilies,
                             &mambaFamilies,  &hybridFamilies,  &nemotronHFamilies, &deltaFamilies,
                             &lfmFamilies,    &chineseFamilies, &deciFamilies,      &bertFamilies};

template <typename Matches>
const Family *findRow(const Matches &matches)
{
    for (const auto &families : kMakers)
        for (const Family &family : families())
            if (matches(family))
                return &family;
    return nullptr;
}

/// Classes of models that take other kinds of input besides text, whose text model is another
/// class's.
constexpr std::array<std::string_view, 9> kMultimodal{
    "Gemma3ForConditionalGeneration",     "Gemma3nForConditionalGeneration",
    "Gemma4ForConditionalGeneration",     "Mistral3ForConditionalGeneration",
    "Llama4ForConditionalGeneration",     "Qwen3_5ForConditionalGeneration",
    "Qwen3_5MoeForConditionalGeneration", "LlavaForConditionalGeneration",
    "InternVLForConditionalGeneration"};

/// Letters and digits only, small: how names of classes and of model types agree.
std::string plainName(std::string_view name)
{
    std::string plain;
    for (const char c : name)
        if (c != '_')
            plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return plain;
}

/// The class of the text model inside, after its `model_type`: "qwen3_5_text" → Qwen3_5ForCausalLM.
std::string textClass(const std::string &whole, const JsonKeys &keys)
{
    if (std::find(kMultimodal.begin(), kMultimodal.end(), whole) == kMultimodal.end() ||
        !keys.has("text_config"))
        return whole;
    constexpr std::string_view kText = "_text", kCausal = "ForCausalLM";
    std::string type = keys.inside("text_config").text("model_type");
    if (type.ends_with(kText))
        type.resize(type.size() - kText.size());
    const Family *family = findRow([&](const Family &f) {
        return f.transformer.ends_with(kCausal) && !type.empty() &&
               plainName(f.transformer.substr(0, f.transformer.size() - kCausal.size())) ==
                   plainName(type);
    });
    return family ? std::string(family->transformer) : whole + " of " + type;
}

std::string folderClass(const HuggingFaceFolder &folder)
{
    const std::filesystem::path path = folder.configPath();
    const JsonKeys keys(path, folder.config());
    const nlohmann::json *classes = keys.find("architectures");
    if (!classes || !classes->is_array() || classes->empty() || !classes->front().is_string())
        throwBadInput(keys.where("architectures") + " names no class");
    return textClass(classes->front().get<std::string>(), keys);
}

/// What the file calls its family: general.architecture, or the class of config.json.
std::string givenName(const ModelFile &file)
{
    if (const Gguf *gguf = file.gguf())
        return std::string(gguf->requireString("general.architecture"));
    return folderClass(*file.folder());
}

const Family *findRow(const ModelFile &file, std::string_view given)
{
    const bool isGguf = file.gguf() != nullptr;
    return findRow(
        [&](const Family &family) { return (isGguf ? family.name : family.transformer) == given; });
}

} // namespace

const Family &familyOf(const ModelFile &file)
{
    const std::string given = givenName(file);
    const Family *family = findRow(file, given);
    if (!family)
        throwUnsupported(file.path().string() + ": not supported: architecture " +
                         fireside::quoted(given) +
                         " (this version runs: " + supportedArchitectures() + ')');
    return *family;
}

const Family *findFamily(const ModelFile &file)
{
    try {
        return findRow(file, givenName(file));
    } catch (const Error &) { // it does not say what it is
        return nullptr;
    }
}

std::string architectureOf(const ModelFile &file)
{
    const std::string given = givenName(file);
    const Family *family = findRow(file, given);
    return family ? std::string(family->name) : given;
}

bool supportsArchitecture(std::string_view name)
{
    return findRow([&](const Family &family) { return family.name == name; }) != nullptr;
}

std::string supportedArchitectures()
{
    std::string text;
    std::string_view last;
    for (const auto &families : kMakers)
        for (const Family &family : families()) {
            if (family.name != last)
                text += (text.empty() ? "" : ", ") + std::string(family.name);
            last = family.name;
        }
    return text;
}

std::unique_ptr<Network> makeNetwork(const ModelFile &file, bool drafts)
{
    const Family &family = familyOf(file);
    Config config = readConfig(file);
    if (drafts)
        addDraftHeads(file, family, config);
    if (family.network)
        return family.network(std::move(config));
    if (config.encoder)
        return std::make_unique<Encoder>(std::move(config));
    return std::make_unique<Decoder>(std::move(config));
}

} // namespace fireside
