#include "engine/model/architectures.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/json_keys.h"
#include "engine/model/llama.h"

#include <algorithm>
#include <array>

namespace fireside {
namespace {

struct Architecture
{
    std::string_view name;        // general.architecture of a GGUF
    std::string_view transformer; // class in config.json
    std::unique_ptr<Network> (*make)(Config);
};

template <typename T>
std::unique_ptr<Network> make(Config config)
{
    return std::make_unique<T>(std::move(config));
}

constexpr std::array kArchitectures{
    // Llama 1–3, TinyLlama, SmolLM, … In GGUF Mistral and Mixtral go by this name too.
    Architecture{"llama", "LlamaForCausalLM", &make<LlamaNetwork>},
    Architecture{"llama", "MistralForCausalLM", &make<LlamaNetwork>},
    Architecture{"llama", "MixtralForCausalLM", &make<LlamaNetwork>},
    Architecture{"qwen3", "Qwen3ForCausalLM", &make<LlamaNetwork>},
    Architecture{"qwen3moe", "Qwen3MoeForCausalLM", &make<LlamaNetwork>},
};

const Architecture *findArchitecture(std::string_view name)
{
    const auto it = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                 [&](const Architecture &a) { return a.name == name; });
    return it == kArchitectures.end() ? nullptr : &*it;
}

std::string folderArchitecture(const HuggingFaceFolder &folder)
{
    const std::filesystem::path path = folder.configPath();
    const JsonKeys keys(path, folder.config());
    const nlohmann::json *classes = keys.find("architectures");
    if (!classes || !classes->is_array() || classes->empty() || !classes->front().is_string())
        throwBadInput(keys.where("architectures") + " names no class");
    const std::string name = classes->front().get<std::string>();
    const auto it = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                 [&](const Architecture &a) { return a.transformer == name; });
    return it == kArchitectures.end() ? name : std::string(it->name);
}

} // namespace

std::string architectureOf(const ModelFile &file)
{
    if (const Gguf *gguf = file.gguf())
        return std::string(gguf->requireString("general.architecture"));
    return folderArchitecture(*file.folder());
}

bool supportsArchitecture(std::string_view name)
{
    return findArchitecture(name) != nullptr;
}

std::string supportedArchitectures()
{
    std::string text;
    std::string_view last;
    for (const Architecture &a : kArchitectures) {
        if (a.name != last)
            text += (text.empty() ? "" : ", ") + std::string(a.name);
        last = a.name;
    }
    return text;
}

std::unique_ptr<Network> makeNetwork(const ModelFile &file)
{
    const std::string name = architectureOf(file);
    const Architecture *a = findArchitecture(name);
    if (!a)
        throwUnsupported(file.path().string() + ": not supported: architecture " +
                         fireside::quoted(name) +
                         " (this version runs: " + supportedArchitectures() + ')');
    return a->make(readConfig(file));
}

} // namespace fireside
