#include "engine/files/hugging_face_folder.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/json_file.h"

#include <map>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kMaxConfig = std::uintmax_t{16} << 20;
constexpr std::uintmax_t kMaxIndex = std::uintmax_t{64} << 20;
constexpr std::size_t kMaxShards = 10'000;
constexpr const char *kWeights = "model.safetensors";
constexpr const char *kModelOpt = "hf_quant_config.json";
constexpr const char *kIndex = "model.safetensors.index.json";

bool isFile(const fs::path &path)
{
    std::error_code error;
    return fs::is_regular_file(path, error);
}

fs::path folderOf(const fs::path &path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        return path;
    const fs::path folder = path.parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

/// File names of an index are data from outside: only names in the folder itself.
bool isPlainName(const std::string &name)
{
    return name.size() <= 255 && name.ends_with(".safetensors") && name.front() != '.' &&
           name.find('/') == std::string::npos && name.find('\\') == std::string::npos &&
           name.find('\0') == std::string::npos;
}

/// config.json, or its part that describes the text model.
bool saysQuantisation(const json &config)
{
    const auto has = [](const json &object, const char *key) {
        const auto it = object.find(key); // of other values than objects the end
        return it != object.end() && !it->is_null();
    };
    return has(config, "quantization_config") || has(config, "compression_config") ||
           (has(config, "text_config") && has(config["text_config"], "quantization_config"));
}

/// How ModelOpt quantised the model, in the words of config.json's quantization_config. Some of its
/// folders say it in a file beside only.
void addModelOpt(const fs::path &path, json &config)
{
    const json root = readJsonFile(path, kMaxConfig);
    const auto it = root.is_object() ? root.find("quantization") : root.end();
    if (!root.is_object() || it == root.end() || !it->is_object())
        throwBadInput(path.string() + ": lacks the object 'quantization'");
    const auto algorithm = it->find("quant_algo");
    if (algorithm == it->end() || !(algorithm->is_string() || algorithm->is_null()))
        throwBadInput(path.string() + ": 'quantization.quant_algo' is missing or no text");
    if (algorithm->is_null())
        return; // weights as they were
    config["quantization_config"] = *it;
    config["quantization_config"]["quant_method"] = "modelopt";
}

} // namespace

HuggingFaceFolder::HuggingFaceFolder(fs::path folder)
    : m_folder(std::move(folder))
    , m_configFile(configPath())
{}

HuggingFaceFolder::~HuggingFaceFolder() = default;
HuggingFaceFolder::HuggingFaceFolder(HuggingFaceFolder &&other) noexcept = default;
HuggingFaceFolder &HuggingFaceFolder::operator=(HuggingFaceFolder &&other) noexcept = default;

bool HuggingFaceFolder::isAt(const fs::path &path)
{
    std::error_code error;
    const bool named = path.filename() == "config.json" || path.filename() == kIndex ||
                       path.extension() == ".safetensors";
    if (!named && !fs::is_directory(path, error))
        return false;
    const fs::path folder = folderOf(path);
    return isFile(folder / "config.json") && (isFile(folder / kWeights) || isFile(folder / kIndex));
}

HuggingFaceFolder HuggingFaceFolder::open(const fs::path &path)
{
    const fs::path folder = folderOf(path);
    if (!isFile(folder / "config.json"))
        throwBadInput(folder.string() + " holds no config.json, so it is no model folder");
    HuggingFaceFolder opened(folder);
    opened.m_config = std::make_unique<json>(readJsonFile(opened.configPath(), kMaxConfig));
    if (!opened.m_config->is_object())
        throwBadInput(opened.configPath().string() + " holds no JSON object");
    if (!saysQuantisation(*opened.m_config) && isFile(folder / kModelOpt))
        addModelOpt(folder / kModelOpt, *opened.m_config);
    opened.readChatTemplate();
    opened.openShards();
    return opened;
}

void HuggingFaceFolder::openShards()
{
    if (isFile(m_folder / kWeights)) {
        m_shards.push_back(Safetensors::open(m_folder / kWeights));
        for (const SafetensorsTensor &tensor : m_shards.front().tensors())
            m_tensors.push_back(&tensor);
    } else if (isFile(m_folder / kIndex)) {
        openIndexed(m_folder / kIndex);
    } else {
        throwBadInput(m_folder.string() + " holds neither " + kWeights + " nor " + kIndex);
    }
}

void HuggingFaceFolder::openIndexed(const fs::path &index)
{
    const json root = readJsonFile(index, kMaxIndex);
    const auto map = root.is_object() ? root.find("weight_map") : root.end();
    if (!root.is_object() || map == root.end() || !map->is_object() || map->empty())
        throwBadInput(index.string() + ": lacks the object 'weight_map'");
    std::map<std::string, std::vector<std::string>> byFile;
    for (const auto &[tensor, file] : map->items()) {
        if (!file.is_string() || file.get_ref<const std::string &>().empty() ||
            !isPlainName(file.get_ref<const std::string &>()))
            throwBadInput(index.string() + ": 'weight_map' gives " + fireside::quoted(tensor) +
                          " a place that is no .safetensors file of the folder");
        byFile[file.get<std::string>()].push_back(tensor);
    }
    if (byFile.size() > kMaxShards)
        throwBadInput(index.string() + ": 'weight_map' names " + std::to_string(byFile.size()) +
                      " files");
    m_shards.reserve(byFile.size()); // m_tensors point inside
    for (const auto &[file, names] : byFile) {
        if (!isFile(m_folder / file))
            throwBadInput(m_folder.string() + ": the part " + fireside::quoted(file) +
                          " of the model is missing");
        m_shards.push_back(Safetensors::open(m_folder / file));
        for (const std::string &name : names) {
            const SafetensorsTensor *const tensor = m_shards.back().findTensor(name);
            if (tensor == nullptr)
                throwBadInput((m_folder / file).string() + " lacks the tensor " +
                              fireside::quoted(name) + ", which the index places there");
            m_tensors.push_back(tensor);
        }
    }
}

void HuggingFaceFolder::readChatTemplate()
{
    if (const fs::path jinja = m_folder / "chat_template.jinja"; isFile(jinja)) {
        m_chatTemplate = readTextFile(jinja, kMaxConfig);
        return;
    }
    const fs::path path = m_folder / "tokenizer_config.json";
    if (!isFile(path))
        return;
    const json root = readJsonFile(path, kMaxConfig);
    const auto it = root.is_object() ? root.find("chat_template") : root.end();
    if (!root.is_object() || it == root.end())
        return;
    if (it->is_string()) {
        m_chatTemplate = it->get<std::string>();
    } else if (it->is_array()) { // several, by name
        for (const json &entry : *it)
            if (entry.is_object() && entry.value("name", json()) == "default" &&
                entry.value("template", json()).is_string())
                m_chatTemplate = entry["template"].get<std::string>();
    }
}

} // namespace fireside
