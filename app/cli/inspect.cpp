#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/text/tokenizer.h"

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
        return printable(dump(j));
    const std::size_t all = j.size();
    j.erase(j.begin() + static_cast<std::ptrdiff_t>(kArrayPreview), j.end());
    return printable(dump(j)) + " … " + std::to_string(all) + " in all";
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
    if (const Gguf *gguf = file.gguf()) {
        const auto *const own =
            gguf->findTensor(t.name); // none once the file was cut: names are gone
        return own ? own->fileOffset : 0;
    }
    if (t.packed)
        return t.packed->codes->fileOffset;
    for (const Safetensors &shard : file.folder()->shards())
        if (const SafetensorsTensor *own = shard.findTensor(t.name);
            own && own->bytes.data() == t.bytes.data())
            return own->fileOffset;
    return 0;
}

std::string inspectJson(const ModelFile &file)
{
    nlohmann::ordered_json j;
    if (file.gguf())
        j["version"] = file.gguf()->version();
    j["remarks"] = describeModel(file).remarks;
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
                                {"bytes", t.fileBytes()}});
    }
    return dump(j, 2) + '\n';
}

std::string formatOf(const ModelFile &file)
{
    return file.gguf() ? "GGUF v" + std::to_string(file.gguf()->version())
                       : "Hugging Face folder of " +
                             std::to_string(file.folder()->shards().size()) + " safetensors files";
}

/// How text becomes tokens, or why that is not known.
std::string tokenizerOf(const ModelFile &file)
{
    try {
        const auto tokenizer = Tokenizer::fromModel(file);
        return "tokenizer " + std::string(tokenizer->kind()) + ", " +
               std::to_string(tokenizer->size()) + " tokens";
    } catch (const Error &e) {
        return std::string("no tokenizer: ") + e.what();
    }
}

std::string inspectText(const ModelFile &file, const std::string &path)
{
    const ModelSummary s = describeModel(file);
    std::string text = printable(path) + ": " + formatOf(file) + ", " + formatBytes(s.fileBytes) +
                       '\n' + printable(s.name) + ", architecture " + printable(s.architecture) +
                       ", " + s.quantisation + " (" + s.quantisationHint + "), " +
                       parametersText(s) + " parameters, context " +
                       std::to_string(s.contextTrained) + '\n';
    text += printable(tokenizerOf(file)) + '\n';
    if (s.problem)
        text += *s.problem + '\n';
    for (const std::string &remark : s.remarks)
        text += "Note: " + printable(remark) + '\n';
    text += "\nmetadata\n";
    const nlohmann::ordered_json metadata = metadataOf(file);
    for (const auto &[key, value] : metadata.items())
        text += "  " + printable(key) + " = " + preview(value) + '\n';
    text += "\ntensors\n";
    for (const ModelTensor &t : file.tensors()) {
        const auto column = [](std::string cell, std::size_t width) {
            return cell + std::string(cell.size() < width ? width - cell.size() : 0, ' ') + ' ';
        };
        text += "  " + column(printable(t.name), 40) + column(printable(t.type), 8) +
                column(shapeOf(t), 20) + formatBytes(t.fileBytes()) + '\n';
    }
    return text;
}

void inspect(const std::string &path, bool json)
{
    const ModelFile file = ModelFile::open(path);
    // Printed when it is known that the file stayed the same.
    const std::string text =
        readUnchanged(file, [&] { return json ? inspectJson(file) : inspectText(file, path); });
    std::fwrite(text.data(), 1, text.size(), stdout);
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
