#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/error.h"

#include <cstdio>
#include <memory>

namespace fireside::cli {
namespace {

struct TokenizeOptions
{
    std::string model, text, file;
    bool special = false;
};

void tokenize(const TokenizeOptions &o, bool fromText)
{
    std::vector<std::string> texts{o.text};
    if (!fromText) {
        const nlohmann::ordered_json array = readJsonFile(o.file);
        if (!array.is_array())
            throwBadInput(o.file + " holds no JSON array");
        texts.clear();
        for (const nlohmann::ordered_json &entry : array) {
            if (!entry.is_string())
                throwBadInput(o.file + ": entry " + std::to_string(texts.size()) + " is no string");
            texts.push_back(entry.get<std::string>());
        }
    }
    const auto tokenizer = Tokenizer::open(o.model);
    nlohmann::json result = nlohmann::json::array();
    for (const std::string &text : texts)
        result.push_back(tokenizer->encode(MarkedText::trusted(text), o.special));
    std::printf("%s\n", result.dump().c_str());
}

} // namespace

void addTokenize(CLI::App &app)
{
    const auto o = std::make_shared<TokenizeOptions>();
    CLI::App *command = app.add_subcommand("tokenize", "Print token ids as a JSON array of arrays");
    command->add_option("MODEL", o->model, "GGUF file, folder or tokenizer.json")->required();
    CLI::Option_group *input = command->add_option_group("input");
    CLI::Option *text = input->add_option("--text", o->text, "Text to tokenize");
    input->add_option("--json", o->file, "File with a JSON array of strings");
    input->require_option(1);
    command->add_flag("--special", o->special, "Add the beginning and end tokens the model wants");
    command->callback([o, text] { tokenize(*o, text->count() > 0); });
}

} // namespace fireside::cli
