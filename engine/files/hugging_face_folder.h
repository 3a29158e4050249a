#pragma once
#include "engine/files/safetensors.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace fireside {

/// A model as transformers stores it: config.json and model.safetensors, or the files that
/// model.safetensors.index.json names, and what may stand beside: generation_config.json, tokenizer
/// files, a chat template. Texts are read, weights mapped. The index is data from outside and may
/// only name files of the folder itself; these may be links to anywhere, as in Hugging Face's
/// cache, since who owns the folder made them.
class HuggingFaceFolder
{
public:
    /// The folder, its config.json, or one of its .safetensors files. Throws Error.
    static HuggingFaceFolder open(const std::filesystem::path &path);
    /// Whether a path leads to such a folder, without opening anything.
    static bool isAt(const std::filesystem::path &path);

    ~HuggingFaceFolder();
    HuggingFaceFolder(HuggingFaceFolder &&other) noexcept;
    HuggingFaceFolder &operator=(HuggingFaceFolder &&other) noexcept;

    const std::filesystem::path &path() const { return m_folder; }
    std::filesystem::path configPath() const { return m_folder / "config.json"; }
    /// An object, with what hf_quant_config.json says as its quantization_config if it has none.
    const nlohmann::json &config() const { return *m_config; }
    const MappedFile &configFile() const { return m_configFile; }
    /// chat_template.jinja, else the one in tokenizer_config.json.
    const std::optional<std::string> &chatTemplate() const { return m_chatTemplate; }

    const std::vector<Safetensors> &shards() const { return m_shards; }
    /// The tensors of the model, in the order of the files.
    const std::vector<const SafetensorsTensor *> &tensors() const { return m_tensors; }

private:
    explicit HuggingFaceFolder(std::filesystem::path folder);
    void openShards();
    void openIndexed(const std::filesystem::path &index);
    void readChatTemplate();

    std::filesystem::path m_folder;
    MappedFile m_configFile;
    std::unique_ptr<nlohmann::json> m_config;
    std::optional<std::string> m_chatTemplate;
    std::vector<Safetensors> m_shards;
    std::vector<const SafetensorsTensor *> m_tensors; // into m_shards
};

} // namespace fireside
