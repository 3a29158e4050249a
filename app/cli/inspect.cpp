#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/error.h"
#include "engine/files/gguf.h"

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

std::string preview(const GgufValue &value)
{
    nlohmann::ordered_json j = std::visit(ToJson{}, value);
    if (!j.is_array() || j.size() <= kArrayPreview)
        return dump(j);
    const std::size_t all = j.size();
    j.erase(j.begin() + static_cast<std::ptrdiff_t>(kArrayPreview), j.end());
    return dump(j) + " … " + std::to_string(all) + " in all";
}

std::string shapeOf(const GgufTensor &t)
{
    std::string text;
    for (int i = 0; i < t.rank; ++i)
        text += (i ? " × " : "") + std::to_string(t.dims[static_cast<std::size_t>(i)]);
    return text;
}

void inspect(const std::string &path, bool json)
{
    const Gguf gguf = Gguf::open(path);
    if (json) {
        nlohmann::ordered_json j{{"version", gguf.version()},
                                 {"metadata", nlohmann::ordered_json::object()},
                                 {"tensors", nlohmann::ordered_json::array()}};
        for (const auto &[key, value] : gguf.metadata())
            j["metadata"][std::string(key)] = std::visit(ToJson{}, value);
        for (const GgufTensor &t : gguf.tensors()) {
            auto dims = nlohmann::ordered_json::array();
            for (int i = 0; i < t.rank; ++i)
                dims.push_back(t.dims[static_cast<std::size_t>(i)]);
            j["tensors"].push_back({{"name", std::string(t.name)},
                                    {"type", ggmlTypeName(t.ggmlType)},
                                    {"dims", dims},
                                    {"offset", t.fileOffset},
                                    {"bytes", t.bytes.size()}});
        }
        std::printf("%s\n", dump(j, 2).c_str());
        return;
    }
    const ModelSummary s = describeModel(gguf);
    std::printf("%s: GGUF v%u, %s\n%s, architecture %s, %s (%s), %.1f M parameters, context %d\n",
                path.c_str(), gguf.version(), formatBytes(s.fileBytes).c_str(), s.name.c_str(),
                s.architecture.c_str(), s.quantisation.c_str(), s.quantisationHint.c_str(),
                static_cast<double>(s.parameters) / 1e6, s.contextTrained);
    if (s.problem)
        std::printf("%s\n", s.problem->c_str());
    std::printf("\nmetadata\n");
    for (const auto &[key, value] : gguf.metadata())
        std::printf("  %.*s = %s\n", static_cast<int>(key.size()), key.data(),
                    preview(value).c_str());
    std::printf("\ntensors\n");
    for (const GgufTensor &t : gguf.tensors())
        std::printf("  %-40.*s %-8s %-20s %s\n", static_cast<int>(t.name.size()), t.name.data(),
                    ggmlTypeName(t.ggmlType).c_str(), shapeOf(t).c_str(),
                    formatBytes(t.bytes.size()).c_str());
}

} // namespace

void addInspect(CLI::App &app)
{
    const auto path = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    CLI::App *command = app.add_subcommand("inspect", "Print a model file's metadata and tensors");
    command->add_option("FILE", *path, "GGUF file")->required();
    command->add_flag("--json", *json, "As JSON, complete");
    command->callback([path, json] { inspect(*path, *json); });
}

} // namespace fireside::cli
