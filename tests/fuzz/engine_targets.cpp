// The engine's parsers. Tokenizers and templates are here, model files in model_targets.cpp.
#include "engine/tensor/blocks.h"
#include "engine/text/chat_template.h"
#include "engine/text/tokenizer.h"
#include "engine/text/unicode.h"
#include "tests/fuzz/constrain_targets.h"
#include "tests/fuzz/model_targets.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>

namespace fireside::fuzz {
namespace {

void tokenize(const Tokenizer &tokenizer, const std::string &text)
{
    for (const bool trusted : {true, false}) {
        const MarkedText marked = trusted ? MarkedText::trusted(text) : MarkedText::fromUser(text);
        const std::vector<TokenId> ids = tokenizer.encode(marked, trusted);
        for (const TokenId id : ids) {
            check(id >= 0 && static_cast<std::size_t>(id) < tokenizer.size());
            // The unknown token stands for characters, also where the file calls it special.
            check(trusted || !tokenizer.isControl(id) || id == tokenizer.unknown());
        }
        for (const bool control : {true, false}) {
            const std::string decoded = tokenizer.decode(ids, control);
            check(validUtf8End(decoded, 0) == decoded.size());
        }
    }
}

/// tokenizer.json, tokenizer_config.json, generation_config.json and a text.
void tokenizer(Bytes input)
{
    static const test::TempDir folder;
    const auto part = parts(input, 4);
    test::writeText(folder / "tokenizer.json", std::string(part[0]));
    test::writeText(folder / "tokenizer_config.json", std::string(part[1]));
    test::writeText(folder / "generation_config.json", std::string(part[2]));
    attempt([&] {
        const auto opened = Tokenizer::open(folder.path());
        tokenize(*opened, std::string(part[3]));
    });
}

void checkMarks(const MarkedText &text)
{
    std::size_t done = 0;
    for (const auto &[begin, end] : text.untrusted) {
        check(begin >= done && begin < end && end <= text.text.size());
        done = end;
    }
}

/// A template and what the user says.
void chatTemplate(Bytes input)
{
    const auto part = parts(input, 2);
    attempt([&] {
        const ChatTemplate source(part[0]);
        const std::string content(part[1]);
        attempt([&] {
            checkMarks(
                source.render({{"system", "Be brief."}, {"user", content}}, true, "<s>", "</s>"));
        });
        const nlohmann::ordered_json context{
            {"messages", {{{"role", "user"}, {"content", replaceInvalidUtf8(content)}}}},
            {"tools", {{{"type", "function"}, {"function", {{"name", "f"}}}}}},
            {"n", 3},
            {"x", 1.5},
            {"list", {1, "two", nullptr, true}}};
        attempt([&] { checkMarks(source.render(context, "2026-11-20T12:00:00")); });
    });
}

/// A weight type and blocks of it: any bytes are numbers, or NaN and infinities.
void weights(Bytes input)
{
    if (input.empty())
        return;
    const DType type = kWeightTypes[input[0] % std::size(kWeightTypes)];
    const DTypeInfo &format = info(type);
    const std::size_t blocks = (input.size() - 1) / format.blockBytes;
    if (blocks == 0)
        return;
    const std::vector<std::uint8_t> bytes(
        input.begin() + 1, input.begin() + 1 + static_cast<long>(blocks * format.blockBytes));
    std::vector<float> values(blocks * format.blockElements);
    dequantizeRow(type, reinterpret_cast<const std::byte *>(bytes.data()), values.data(),
                  values.size());
}

} // namespace

std::vector<Target> targets()
{
    return {{"gguf", gguf},           {"split", split},
            {"model", model},         {"safetensors", safetensors},
            {"folder", folder},       {"config", config},
            {"tokenizer", tokenizer}, {"template", chatTemplate},
            {"weights", weights},     {"regex", regex},
            {"gbnf", gbnf},           {"schema", schema}};
}

} // namespace fireside::fuzz
