#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/generate/embedder.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>

namespace fireside::cli {
namespace {

struct EmbedOptions
{
    ModelOptions model;
    std::vector<std::string> tokens, texts;
    std::string file, pooling;
    bool normalize = false;
};

/// A text, or token ids.
struct EmbedInput
{
    std::string text;
    std::vector<TokenId> ids;
    bool isText = false;
};

EmbedInput inputOf(const nlohmann::ordered_json &entry, const std::string &where)
{
    if (entry.is_string())
        return {.text = entry.get<std::string>(), .ids = {}, .isText = true};
    EmbedInput input;
    const auto fails = [&] { throwBadInput(where + " is neither a string nor a list of ids"); };
    if (!entry.is_array())
        fails();
    for (const nlohmann::ordered_json &id : entry) {
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 ||
            id.get<std::int64_t>() > std::numeric_limits<TokenId>::max())
            fails();
        input.ids.push_back(id.get<TokenId>());
    }
    return input;
}

std::vector<EmbedInput> inputsOf(const EmbedOptions &o)
{
    std::vector<EmbedInput> inputs;
    for (const std::string &list : o.tokens)
        inputs.push_back({.text = {}, .ids = parseTokenIds(list)});
    for (const std::string &text : o.texts)
        inputs.push_back({.text = text, .ids = {}, .isText = true});
    if (o.file.empty())
        return inputs;
    const nlohmann::ordered_json array = readJsonFile(o.file);
    if (!array.is_array())
        throwBadInput(o.file + " holds no JSON array");
    for (const nlohmann::ordered_json &entry : array)
        inputs.push_back(inputOf(entry, o.file + ": entry " + std::to_string(inputs.size())));
    return inputs;
}

std::string listOf(std::span<const float> values)
{
    std::string text = "[";
    char number[32];
    for (const float value : values) {
        std::snprintf(number, sizeof number, text.size() > 1 ? ", %.9g" : "%.9g",
                      static_cast<double>(value));
        text += number;
    }
    return text + ']';
}

std::string resultOf(std::vector<float> &values, EmbeddingForm form, std::size_t hidden,
                     bool normalize)
{
    if (form == EmbeddingForm::Score) {
        const std::string list = listOf(values);
        return "{\"score\": " + list.substr(1, list.size() - 2) + '}';
    }
    if (form != EmbeddingForm::Rows)
        hidden = values.size();
    std::string rows;
    for (std::size_t at = 0; at < values.size(); at += hidden) {
        const std::span row = std::span(values).subspan(at, hidden);
        if (normalize)
            normalizeLength(row);
        rows += (at > 0 ? ", " : "") + listOf(row);
    }
    return form == EmbeddingForm::Rows ? "{\"hidden\": [" + rows + "]}"
                                       : "{\"embedding\": " + rows + '}';
}

void embed(const EmbedOptions &o)
{
    std::optional<EmbeddingForm> form;
    if (!o.pooling.empty()) {
        form = embeddingForm(o.pooling);
        if (!form)
            throwBadInput("--pooling " + fireside::quoted(o.pooling) +
                          " is none of mean, cls, last, none, rank");
    }
    const std::vector<EmbedInput> inputs = inputsOf(o);
    Engine engine(engineOptions());
    LoadOptions options = o.model.loadOptions();
    options.embeddings = true;
    options.idsOnly = std::none_of(inputs.begin(), inputs.end(),
                                   [](const EmbedInput &input) { return input.isText; });
    const auto model = engine.load(o.model.path, options, {}, interruptToken());
    std::vector<std::vector<TokenId>> sequences;
    for (const EmbedInput &input : inputs)
        sequences.push_back(input.isText
                                ? model->tokenizer().encode(MarkedText::trusted(input.text), true)
                                : input.ids);
    const Embedder embedder(model->model(), model->context());
    const EmbeddingForm made = embedder.formFor(form);
    const Tokenizer *const tokenizer = options.idsOnly ? nullptr : &model->tokenizer();
    for (const std::string &remark :
         vectorRemarks(model->model(), made, form.has_value(), tokenizer))
        std::fprintf(stderr, "Note: %s\n", remark.c_str());
    std::vector<std::vector<float>> results = embedder.embed(sequences, made, interruptToken());
    const auto hidden = static_cast<std::size_t>(model->model().config().hidden);
    const bool list = results.size() != 1 || !o.file.empty();
    std::string text;
    for (std::vector<float> &each : results)
        text += (text.empty() ? "" : ",\n ") + resultOf(each, made, hidden, o.normalize);
    std::printf(list ? "[%s]\n" : "%s\n", text.c_str());
}

} // namespace

void addEmbed(CLI::App &app)
{
    const auto o = std::make_shared<EmbedOptions>();
    CLI::App *command =
        app.add_subcommand("embed", "Print what texts mean to a model, as JSON: vectors or scores");
    o->model.addTo(*command);
    CLI::Option_group *input = command->add_option_group("input");
    input->add_option("--tokens", o->tokens, "Token ids, like 1,2,3; once for each sequence")
        ->allow_extra_args(false);
    input->add_option("--text", o->texts, "A text; once for each")->allow_extra_args(false);
    input->add_option("--json", o->file, "File with a JSON array of texts or of lists of ids");
    input->require_option(1);
    command->add_option("--pooling", o->pooling,
                        "What a vector is made of: the mean of the final rows, the row of the "
                        "first token (cls) or of the last, none for all rows, rank for a "
                        "reranker's score; without it as the model says");
    command->add_flag("--normalize", o->normalize, "Vectors of length 1");
    command->callback([o] { embed(*o); });
}

} // namespace fireside::cli
