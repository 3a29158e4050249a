#include "engine/model/architectures.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/family.h"
#include "engine/model/json_keys.h"
#include "engine/model/llama.h"

#include <algorithm>
#include <array>

namespace fireside {
namespace {

using MakeNetwork = std::unique_ptr<Network> (*)(Config);

template <typename T>
std::unique_ptr<Network> make(Config config)
{
    return std::make_unique<T>(std::move(config));
}

struct Row
{
    Family family;
    MakeNetwork network;
};

// Of rows with one name the first is the GGUF's.
constexpr std::array kRows{
    // Llama 1–3, TinyLlama, SmolLM, … In GGUF Mistral and Mixtral go by this name too.
    Row{{.name = "llama",
         .transformer = "LlamaForCausalLM",
         .ggufPairing = RopePairing::Interleaved,
         .wideExperts = true},
        &make<LlamaNetwork>},
    Row{{.name = "llama",
         .transformer = "MistralForCausalLM",
         .window = WindowRule::Always,
         .windowMissing = 4096},
        &make<LlamaNetwork>},
    Row{{.name = "llama",
         .transformer = "MixtralForCausalLM",
         .window = WindowRule::Always,
         .mixture = MixtureRule::Always,
         .wideExperts = true,
         .expertsNormalize = true},
        &make<LlamaNetwork>},
    Row{{.name = "qwen3",
         .transformer = "Qwen3ForCausalLM",
         .headNorms = true,
         .headDim = 128,
         .window = WindowRule::Switched},
        &make<LlamaNetwork>},
    Row{{.name = "qwen3moe",
         .transformer = "Qwen3MoeForCausalLM",
         .headNorms = true,
         .headDim = 128,
         .window = WindowRule::Switched,
         .mixture = MixtureRule::Always},
        &make<LlamaNetwork>},
};

template <typename Matches>
const Row *findRow(const Matches &matches)
{
    const auto it = std::find_if(kRows.begin(), kRows.end(), matches);
    return it == kRows.end() ? nullptr : &*it;
}

std::string folderClass(const HuggingFaceFolder &folder)
{
    const std::filesystem::path path = folder.configPath();
    const JsonKeys keys(path, folder.config());
    const nlohmann::json *classes = keys.find("architectures");
    if (!classes || !classes->is_array() || classes->empty() || !classes->front().is_string())
        throwBadInput(keys.where("architectures") + " names no class");
    return classes->front().get<std::string>();
}

/// What the file calls its family: general.architecture, or the class of config.json.
std::string givenName(const ModelFile &file)
{
    if (const Gguf *gguf = file.gguf())
        return std::string(gguf->requireString("general.architecture"));
    return folderClass(*file.folder());
}

const Row *findRow(const ModelFile &file, std::string_view given)
{
    const bool isGguf = file.gguf() != nullptr;
    return findRow([&](const Row &row) {
        return (isGguf ? row.family.name : row.family.transformer) == given;
    });
}

const Row &rowOf(const ModelFile &file)
{
    const std::string given = givenName(file);
    const Row *row = findRow(file, given);
    if (!row)
        throwUnsupported(file.path().string() + ": not supported: architecture " +
                         fireside::quoted(given) +
                         " (this version runs: " + supportedArchitectures() + ')');
    return *row;
}

} // namespace

std::string architectureOf(const ModelFile &file)
{
    const std::string given = givenName(file);
    const Row *row = findRow(file, given);
    return row ? std::string(row->family.name) : given;
}

bool supportsArchitecture(std::string_view name)
{
    return findRow([&](const Row &row) { return row.family.name == name; }) != nullptr;
}

std::string supportedArchitectures()
{
    std::string text;
    std::string_view last;
    for (const Row &row : kRows) {
        if (row.family.name != last)
            text += (text.empty() ? "" : ", ") + std::string(row.family.name);
        last = row.family.name;
    }
    return text;
}

const Family &familyOf(const ModelFile &file)
{
    return rowOf(file).family;
}

std::unique_ptr<Network> makeNetwork(const ModelFile &file)
{
    return rowOf(file).network(readConfig(file));
}

} // namespace fireside
