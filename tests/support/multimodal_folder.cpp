#include "tests/support/multimodal_folder.h"

#include "engine/files/model_file.h"
#include "tests/support/safetensors_builder.h"

#include <nlohmann/json.hpp>

namespace fireside::test {

void writeMultimodal(const std::filesystem::path &folder, const MultimodalNames &names,
                     const std::filesystem::path &out)
{
    const ModelFile file = ModelFile::open(folder);
    nlohmann::json text = file.folder()->config();
    text.erase("architectures");
    nlohmann::json config;
    config["architectures"] = {names.transformer};
    config["text_config"] = std::move(text);
    config["vision_config"] = {{"hidden_size", 7}, {"num_hidden_layers", 3}};
    std::filesystem::create_directories(out);
    writeText(out / "config.json", config.dump());

    SafetensorsBuilder tensors;
    for (const ModelTensor &t : file.tensors()) {
        std::string name(t.name);
        name = name.starts_with("model.") ? names.model + name.substr(6) : names.rest + name;
        tensors.tensor(name, t.type, {t.shape.begin(), t.shape.end()}, t.bytes);
    }
    for (const char *other :
         {"model.vision_tower.layers.0.weight", "vision_model.weight", "model.embed_audio.weight",
          "model.visual.blocks.0.weight", "multi_modal_projector.linear_1.weight"})
        tensors.zeros(other, "F32", {4}, 16);
    tensors.write(out / "model.safetensors");
}

} // namespace fireside::test
