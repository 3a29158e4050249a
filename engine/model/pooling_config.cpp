#include "engine/model/pooling_config.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/hugging_face_folder.h"
#include "engine/files/json_file.h"
#include "engine/model/config_source.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/json_keys.h"
#include "engine/tensor/blocks.h"

#include <array>
#include <filesystem>

namespace fireside {
namespace {

constexpr std::uintmax_t kMaxPoolingBytes = 1 << 20;

struct PoolingName
{
    const char *flag; // of older files
    const char *mode; // and of newer ones
    EmbeddingForm form;
};
constexpr std::array kPoolings{
    PoolingName{"pooling_mode_mean_tokens", "mean", EmbeddingForm::Mean},
    PoolingName{"pooling_mode_cls_token", "cls", EmbeddingForm::First},
    PoolingName{"pooling_mode_lasttoken", "lasttoken", EmbeddingForm::Last},
};

EmbeddingForm formIn(const JsonKeys &keys)
{
    const std::string mode = keys.text("pooling_mode");
    for (const PoolingName &name : kPoolings)
        if (mode.empty() ? keys.flag(name.flag, false) : mode == name.mode)
            return name.form;
    if (!mode.empty())
        throwUnsupported(keys.where("pooling_mode") + ": not supported: " + fireside::quoted(mode));
    for (const auto &[key, value] : keys.object().items())
        if (key.starts_with("pooling_mode_") && value.is_boolean() && value.get<bool>())
            throwUnsupported(keys.where(key.c_str()) + ": not supported: true");
    return EmbeddingForm::Mean;
}

std::vector<float> denseValues(const Safetensors &file, const char *name,
                               const std::vector<std::uint64_t> &shape)
{
    const SafetensorsTensor *t = file.findTensor(name);
    if (t == nullptr || !t->dtype || t->shape != shape)
        throwBadInput(file.path().string() + " lacks a tensor " + fireside::quoted(name) + " of " +
                      std::to_string(shape.front()) + " rows, or has it of another shape or type");
    std::uint64_t count = 1;
    for (const std::uint64_t n : shape)
        count *= n;
    std::vector<float> values(count);
    dequantizeRow(*t->dtype, t->bytes.data(), values.data(), values.size());
    return values;
}

/// A folder with the config.json and the weights of a dense layer for inputs of width `in`.
DenseLayer readDense(const std::filesystem::path &folder, std::int64_t in)
{
    const std::filesystem::path path = folder / "config.json";
    const nlohmann::json object = readJsonFile(path, kMaxPoolingBytes);
    if (!object.is_object())
        throwBadInput(path.string() + " is no JSON object");
    const JsonKeys keys(path, object);
    DenseLayer layer;
    layer.in = keys.require("in_features", 1, kMaxHidden);
    layer.out = keys.require("out_features", 1, kMaxHidden);
    if (layer.in != in)
        throwBadInput(keys.where("in_features") + " is " + std::to_string(layer.in) +
                      ", what comes before it gives " + std::to_string(in));
    const std::string activation =
        keys.text("activation_function", "torch.nn.modules.activation.Tanh");
    layer.tanh = activation.ends_with(".Tanh");
    if (!layer.tanh && !activation.ends_with(".Identity"))
        throwUnsupported(keys.where("activation_function") +
                         ": not supported: " + fireside::quoted(activation));
    const Safetensors file = Safetensors::open(folder / "model.safetensors");
    const auto rows = static_cast<std::uint64_t>(layer.out);
    layer.weight = denseValues(file, "linear.weight", {rows, static_cast<std::uint64_t>(layer.in)});
    if (keys.flag("bias", true))
        layer.bias = denseValues(file, "linear.bias", {rows});
    return layer;
}

/// The dense layers that modules.json lists behind the network, in its order.
std::vector<DenseLayer> denseLayers(const std::filesystem::path &folder, std::int64_t hidden)
{
    const std::filesystem::path path = folder / "modules.json";
    std::error_code none;
    std::vector<DenseLayer> layers;
    if (!std::filesystem::exists(path, none))
        return layers;
    for (const nlohmann::json &module : readJsonFile(path, kMaxPoolingBytes)) {
        const auto text = [&](const char *key) {
            const auto it = module.is_object() ? module.find(key) : module.end();
            return it != module.end() && it->is_string() ? it->get<std::string>() : std::string();
        };
        if (!text("type").ends_with(".Dense"))
            continue;
        const std::filesystem::path place = text("path");
        if (place.empty() || place.has_parent_path() || place == "..")
            throwBadInput(path.string() + ": a dense layer lies in " +
                          fireside::quoted(place.string()) + ", which is no folder beside it");
        layers.push_back(readDense(folder / place, layers.empty() ? hidden : layers.back().out));
    }
    return layers;
}

/// Of EmbeddingGemma: two matrices.
void readDenseGguf(const GgufKeys &keys, Config &c)
{
    std::vector<DenseLayer> layers;
    std::int64_t in = c.hidden;
    for (const char *name : {"dense_2.weight", "dense_3.weight"}) {
        const GgufTensor *t = keys.gguf().findTensor(name);
        if (t == nullptr)
            continue;
        // GGUF counts the fastest dimension first.
        const auto [cols, rows, more, evenMore] = t->dims;
        if (!t->dtype || cols != static_cast<std::uint64_t>(in) || more * evenMore != 1 ||
            rows > static_cast<std::uint64_t>(kMaxHidden))
            throwBadInput(keys.gguf().path().string() + ": the tensor " + fireside::quoted(name) +
                          " does not fit what comes before it");
        DenseLayer layer;
        layer.in = in;
        layer.out = static_cast<std::int64_t>(rows);
        layer.weight.resize(rows * cols);
        dequantizeRow(*t->dtype, t->bytes.data(), layer.weight.data(), layer.weight.size());
        in = layer.out;
        layers.push_back(std::move(layer));
    }
    if (!layers.empty())
        c.dense = std::make_shared<const std::vector<DenseLayer>>(std::move(layers));
}

} // namespace

void readPooling(const HuggingFaceFolder &folder, Config &c)
{
    const std::filesystem::path path = folder.path() / "1_Pooling" / "config.json";
    std::error_code none;
    c.embeddingStated = c.score.there;
    try {
        if (auto layers = denseLayers(folder.path(), c.hidden); !layers.empty())
            c.dense = std::make_shared<const std::vector<DenseLayer>>(std::move(layers));
        if (!std::filesystem::exists(path, none))
            return;
        const nlohmann::json object = readJsonFile(path, kMaxPoolingBytes);
        if (!object.is_object())
            throwBadInput(path.string() + " is no JSON object");
        c.embedding = formIn(JsonKeys(path, object));
        c.embeddingStated = true;
    } catch (const Error &error) {
        c.embeddingProblem = error.what();
    }
}

void readPooling(const GgufKeys &keys, Config &c)
{
    constexpr std::array kForms{EmbeddingForm::Rows, EmbeddingForm::Mean, EmbeddingForm::First,
                                EmbeddingForm::Last, EmbeddingForm::Score};
    if (c.score.there)
        c.embedding = EmbeddingForm::Score;
    c.embeddingStated = c.score.there;
    try {
        readDenseGguf(keys, c);
        if (!keys.has("pooling_type"))
            return;
        c.embeddingStated = true;
        const std::int64_t type =
            keys.require("pooling_type", 0, static_cast<std::int64_t>(kForms.size()) - 1);
        // Without pooling there are still means.
        if (type > 0)
            c.embedding = kForms[static_cast<std::size_t>(type)];
    } catch (const Error &error) {
        c.embeddingProblem = error.what();
    }
}

} // namespace fireside
