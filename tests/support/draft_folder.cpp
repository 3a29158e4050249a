#include "tests/support/draft_folder.h"

#include "engine/files/model_file.h"
#include "engine/tensor/blocks.h"
#include "tests/support/safetensors_builder.h"

#include <random>

namespace fireside::test {
namespace {

using nlohmann::json;

std::vector<float> floatsOf(const ModelTensor &t)
{
    std::vector<float> values(t.elements());
    dequantizeRow(*t.dtype, t.bytes.data(), values.data(), values.size());
    return values;
}

const ModelTensor &find(const ModelFile &file, const std::string &name)
{
    if (const ModelTensor *t = file.findTensor(name))
        return *t;
    throw std::runtime_error("no tensor " + name);
}

void add(SafetensorsBuilder &out, const std::string &name, const std::vector<std::uint64_t> &shape,
         std::span<const float> values)
{
    out.tensor(name, "F32", shape, std::as_bytes(values));
}

std::string prefixOf(int layer)
{
    return "model.layers." + std::to_string(layer) + '.';
}

/// Whether a tensor is the last of a block: without it the block adds nothing.
bool endsBlock(std::string_view name)
{
    return name.find("o_proj.") != std::string_view::npos ||
           name.find("down_proj.") != std::string_view::npos;
}

/// A copy of the file's tensors; `silent`: blocks add nothing.
void copyTensor(SafetensorsBuilder &out, const ModelTensor &t, const std::string &name, bool silent)
{
    const std::vector<std::uint64_t> shape(t.shape.begin(), t.shape.end());
    if (silent && endsBlock(name))
        out.zeros(name, t.type, shape, t.bytes.size());
    else
        out.tensor(name, t.type, shape, t.bytes);
}

DraftWeights weightsFor(const ModelFile &file, const DraftNames &names, DraftKind kind, int head)
{
    const std::vector<float> embedding = floatsOf(find(file, "model.embed_tokens.weight"));
    const std::size_t H = find(file, "model.embed_tokens.weight").shape[1];
    std::mt19937 random(static_cast<std::mt19937::result_type>(7 + head));
    std::normal_distribution<float> normal;
    const auto around = [&](float middle, float spread, std::size_t n) {
        std::vector<float> values(n);
        for (float &v : values)
            v = middle + spread * normal(random);
        return values;
    };
    const float one = names.plusOne ? 0.0f : 1.0f;
    const bool plain = kind != DraftKind::Random;
    const float spread = plain ? 0.0f : 0.1f;
    DraftWeights w;
    w.embeddingNorm = around(one, spread, H);
    w.hiddenNorm = around(one, spread, H);
    w.norm = floatsOf(find(file, "model.norm.weight"));
    if (!plain && !names.norm.empty())
        w.norm = around(one, spread, H);
    w.embedding = embedding;
    w.output = floatsOf(find(file, "lm_head.weight"));
    if (!plain && !names.output.empty())
        w.output = around(0, 1, w.output.size());
    if (!plain && !names.embedding.empty())
        w.embedding = around(0, 1, w.embedding.size());
    w.join = around(0,
                    kind == DraftKind::Random  ? 0.2f
                    : kind == DraftKind::Often ? 0.04f
                                               : 0.0f,
                    2 * H * H);
    for (std::size_t i = 0; plain && i < H; ++i)
        w.join[i * 2 * H + (names.hiddenFirst ? H : 0) + i] += 1; // the token's embedding
    return w;
}

void writeHead(SafetensorsBuilder &tensors, const ModelFile &file, const DraftNames &names,
               const DraftWeights &w, bool silent)
{
    const std::string from = prefixOf(names.from);
    for (const ModelTensor &t : file.tensors())
        if (t.name.starts_with(from))
            copyTensor(tensors, t, names.layer + std::string(t.name.substr(from.size())), silent);
    const std::uint64_t H = w.norm.size(), V = w.output.size() / H;
    add(tensors, names.join, {H, 2 * H}, w.join);
    add(tensors, names.embeddingNorm, {H}, w.embeddingNorm);
    add(tensors, names.hiddenNorm, {H}, w.hiddenNorm);
    if (!names.norm.empty())
        add(tensors, names.norm, {H}, w.norm);
    if (!names.embedding.empty())
        add(tensors, names.embedding, {V, H}, w.embedding);
    if (!names.output.empty())
        add(tensors, names.output, {V, H}, w.output);
}

json configOf(const ModelFile &file, const DraftNames &names)
{
    json config = file.folder()->config();
    if (!names.transformer.empty())
        config["architectures"] = {names.transformer};
    return config;
}

} // namespace

DraftNames draftAsLayer(const std::string &golden, int layers, bool shared)
{
    const std::string layer = prefixOf(layers);
    return {.golden = golden,
            .from = layers - 1,
            .layer = layer,
            .join = layer + "eh_proj.weight",
            .embeddingNorm = layer + "enorm.weight",
            .hiddenNorm = layer + "hnorm.weight",
            .norm = layer + "shared_head.norm.weight",
            .embedding = shared ? "" : layer + "embed_tokens.weight",
            .output = shared ? "" : layer + "shared_head.head.weight",
            .alone = {{"first_k_dense_replace", 0}}};
}

DraftNames ofFurtherHead(const DraftNames &names, int head)
{
    const std::string &layer = names.layer;
    const std::size_t dot = layer.rfind('.', layer.size() - 2);
    const int first = std::stoi(layer.substr(dot + 1));
    const std::string other = layer.substr(0, dot + 1) + std::to_string(first + head) + '.';
    DraftNames own = names;
    for (std::string *name : {&own.layer, &own.join, &own.embeddingNorm, &own.hiddenNorm, &own.norm,
                              &own.embedding, &own.output})
        if (name->starts_with(layer))
            name->replace(0, layer.size(), other);
    return own;
}

const std::vector<DraftNames> &draftNames()
{
    const auto apart = [](const char *golden, int from, bool plusOne, json alone) {
        return DraftNames{.golden = golden,
                          .from = from,
                          .layer = "mtp.layers.0.",
                          .join = "mtp.fc.weight",
                          .embeddingNorm = "mtp.pre_fc_norm_embedding.weight",
                          .hiddenNorm = "mtp.pre_fc_norm_hidden.weight",
                          .norm = "mtp.norm.weight",
                          .plusOne = plusOne,
                          .alone = std::move(alone)};
    };
    const json attends{{"layer_types", {"full_attention"}}};
    static const std::vector<DraftNames> kNames{
        {.golden = "llama-attn-bias",
         .transformer = "MiMoForCausalLM",
         .from = 2,
         .layer = "model.mtp_layers.0.",
         .join = "model.mtp_layers.0.input_proj.weight",
         .embeddingNorm = "model.mtp_layers.0.token_layernorm.weight",
         .hiddenNorm = "model.mtp_layers.0.hidden_layernorm.weight",
         .norm = "model.mtp_layers.0.final_layernorm.weight",
         .hiddenFirst = true},
        apart("qwen3.5", 3, true, attends),
        apart("qwen3-next", 3, true, attends),
        apart("qwen3.5-moe", 3, true, attends),
        draftAsLayer("deepseek-v3", 3),
        draftAsLayer("glm4-moe", 3),
        apart("exaone-moe", 3, false,
              {{"layer_types", {"full_attention"}},
               {"mlp_layer_types", {"sparse"}},
               {"first_k_dense_replace", 0}}),
        {.golden = "ernie4.5-moe",
         .from = 0,
         .layer = "model.mtp_block.0.",
         .join = "model.mtp_linear_proj.0.weight",
         .embeddingNorm = "model.mtp_emb_norm.0.weight",
         .hiddenNorm = "model.mtp_hidden_norm.0.weight"},
    };
    return kNames;
}

DraftWeights writeDraftFolder(const std::filesystem::path &golden, const DraftNames &names,
                              DraftKind kind, const std::filesystem::path &out, int heads)
{
    const ModelFile file = ModelFile::open(golden);
    std::filesystem::create_directories(out);
    json config = configOf(file, names);
    config["num_nextn_predict_layers"] = heads;
    writeText(out / "config.json", config.dump());
    const bool silent = kind != DraftKind::Random;
    SafetensorsBuilder tensors;
    for (const ModelTensor &t : file.tensors())
        copyTensor(tensors, t, std::string(t.name), silent);
    DraftWeights first;
    for (int i = 0; i < heads; ++i) {
        DraftWeights w = weightsFor(file, names, kind, i);
        writeHead(tensors, file, ofFurtherHead(names, i), w, silent);
        if (i == 0)
            first = std::move(w);
    }
    tensors.write(out / "model.safetensors");
    return first;
}

void writeDraftLayer(const std::filesystem::path &golden, const DraftNames &names,
                     const DraftWeights &w, std::span<const float> rows,
                     const std::filesystem::path &out)
{
    const ModelFile file = ModelFile::open(golden);
    std::filesystem::create_directories(out);
    json config = configOf(file, names);
    config["num_hidden_layers"] = 1;
    config.merge_patch(names.alone);
    writeText(out / "config.json", config.dump());
    const std::string from = prefixOf(names.from);
    SafetensorsBuilder tensors;
    for (const ModelTensor &t : file.tensors())
        if (t.name.starts_with(from))
            copyTensor(tensors, t, prefixOf(0) + std::string(t.name.substr(from.size())), false);
    const std::uint64_t H = w.norm.size(), V = w.output.size() / H;
    std::vector<float> embedding(V * H);
    std::copy(rows.begin(), rows.end(), embedding.begin());
    add(tensors, "model.embed_tokens.weight", {V, H}, embedding);
    add(tensors, "model.norm.weight", {H}, w.norm);
    add(tensors, "lm_head.weight", {V, H}, w.output);
    tensors.write(out / "model.safetensors");
}

} // namespace fireside::test
