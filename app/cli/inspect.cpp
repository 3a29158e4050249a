#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/error.h"
#include "engine/files/model_file.h"

#include <cstdio>
#include <memory>

namespace fireside::cli {
namespace {

constexpr std::size_t kArrayPreview = 8; // entries shown without --json

struct ToJson
{
    nlohmann::ordered_json operator()(std::string_view v) const { return std::string(v); }
    nlohmann::ordered_json operator()(const GgufArray &a) const
    {
        if (!a.strings.empty()) {
            auto j = nlohmann::ordered_json::array();
            for (const std::string_view s : a.strings)
                j.push_back(std::string(s));
            return j;
        }
        if (!a.floatValues.empty())
            return a.floatValues;
        if (!a.signedValues.empty())
            return a.signedValues;
        return a.unsignedValues;
    }
    template <typename T>
    nlohmann::ordered_json operator()(T v) const
    {
        return v;
    }
};

// Invalid UTF-8 in a file must not stop its inspection.
std::string dump(const nlohmann::ordered_json &j, int indent = -1)
{
    return j.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string preview(nlohmann::ordered_json j)
{
    if (!j.is_array() || j.size() <= kArrayPreview)
        return dump(j);
    const std::size_t all = j.size();
    j.erase(j.begin() + static_cast<std::ptrdiff_t>(kArrayPreview), j.end());
    return dump(j) + " … " + std::to_string(all) + " in all";
}

std::string shapeOf(const ModelTensor &t)
{
    std::string text; // columns first, as GGUF tools print it
    for (auto n = t.shape.rbegin(); n != t.shape.rend(); ++n)
        text += (text.empty() ? "" : " × ") + std::to_string(*n);
    return text;
}

/// Keys and values of a GGUF or of config.json, in their order.
nlohmann::ordered_json metadataOf(const ModelFile &file)
{
    auto j = nlohmann::ordered_json::object();
    if (const Gguf *gguf = file.gguf()) {
        for (const auto &[key, value] : gguf->metadata())
            j[std::string(key)] = std::visit(ToJson{}, value);
    } else {
        for (const auto &[key, value] : file.folder()->config().items())
            j[key] = value;
    }
    return j;
}

std::uint64_t offsetOf(const ModelFile &file, const ModelTensor &t)
{
    if (file.gguf())
        return file.gguf()->findTensor(t.name)->fileOffset;
    for (const Safetensors &shard : file.folder()->shards())
        if (const SafetensorsTensor *own = shard.findTensor(t.name);
            own && own->bytes.data() == t.bytes.data())
            return own->fileOffset;
    return 0;
}

void inspectJson(const ModelFile &file)
{
    nlohmann::ordered_json j;
    if (file.gguf())
        j["version"] = file.gguf()->version();
    j["metadata"] = metadataOf(file);
    j["tensors"] = nlohmann::ordered_json::array();
    for (const ModelTensor &t : file.tensors()) {
        auto dims = nlohmann::ordered_json::array();
        for (auto n = t.shape.rbegin(); n != t.shape.rend(); ++n)
            dims.push_back(*n);
        j["tensors"].push_back({{"name", std::string(t.name)},
                                {"type", t.type},
                                {"dims", dims},
                                {"offset", offsetOf(file, t)},
                                {"bytes", t.bytes.size()}});
    }
    std::printf("%s\n", dump(j, 2).c_str());
}

std::string formatOf(const ModelFile &file)
{
    return file.gguf() ? "GGUF v" + std::to_string(file.gguf()->version())
                       : "Hugging Face folder of " +
                             std::to_string(file.folder()->shards().size()) + " safetensors files";
}

void inspect(const std::string &path, bool json)
{
    const ModelFile file = ModelFile::open(path);
    if (json) {
        inspectJson(file);
        return;
    }
    const ModelSummary s = describeModel(file);
    std::printf("%s: %s, %s\n%s, architecture %s, %s (%s), %s parameters, context %d\n",
                path.c_str(), formatOf(file).c_str(), formatBytes(s.fileBytes).c_str(),
                s.name.c_str(), s.architecture.c_str(), s.quantisation.c_str(),
                s.quantisationHint.c_str(), parametersText(s).c_str(), s.contextTrained);
    if (s.problem)
        std::printf("%s\n", s.problem->c_str());
    std::printf("\nmetadata\n");
    const nlohmann::ordered_json metadata = metadataOf(file);
    for (const auto &[key, value] : metadata.items())
        std::printf("  %s = %s\n", key.c_str(), preview(value).c_str());
    std::printf("\ntensors\n");
    for (const ModelTensor &t : file.tensors())
        std::printf("  %-40.*s %-8s %-20s %s\n", static_cast<int>(t.name.size()), t.name.data(),
                    t.type.c_str(), shapeOf(t).c_str(), formatBytes(t.bytes.size()).c_str());
}

} // namespace

void addInspect(CLI::App &app)
{
    const auto path = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    CLI::App *command = app.add_subcommand("inspect", "Print a model file's metadata and tensors");
    command->add_option("MODEL", *path, "GGUF file or Hugging Face folder")->required();
    command->add_flag("--json", *json, "As JSON, complete");
    command->callback([path, json] { inspect(*path, *json); });
}

} // namespace fireside::cli
