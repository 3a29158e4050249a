#include "engine/model/pooling_config.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/hugging_face_folder.h"
#include "engine/files/json_file.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/json_keys.h"

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

/// modules.json lists what follows the network; without its dense layers vectors would be others.
void refuseDense(const std::filesystem::path &path)
{
    std::error_code none;
    if (!std::filesystem::exists(path, none))
        return;
    for (const nlohmann::json &module : readJsonFile(path, kMaxPoolingBytes)) {
        const auto type = module.is_object() ? module.find("type") : module.end();
        if (type != module.end() && type->is_string() &&
            type->get_ref<const std::string &>().ends_with(".Dense"))
            throwUnsupported(path.string() + ": not supported: a dense layer behind the pooling");
    }
}

} // namespace

void readPooling(const HuggingFaceFolder &folder, Config &c)
{
    const std::filesystem::path path = folder.path() / "1_Pooling" / "config.json";
    std::error_code none;
    try {
        refuseDense(folder.path() / "modules.json");
        if (!std::filesystem::exists(path, none))
            return;
        const nlohmann::json json = readJsonFile(path, kMaxPoolingBytes);
        if (!json.is_object())
            throwBadInput(path.string() + " is no JSON object");
        c.embedding = formIn(JsonKeys(path, json));
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
    if (!keys.has("pooling_type"))
        return;
    try {
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
