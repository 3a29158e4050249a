// Model files: GGUF, safetensors, Hugging Face folders.
#include "tests/fuzz/model_targets.h"

#include "engine/convert/quantize_file.h"
#include "engine/files/model_file.h"
#include "engine/model/describe.h"
#include "engine/text/chat_template.h"
#include "engine/text/tokenizer.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/temp_dir.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>

namespace fireside::fuzz {
namespace {

const std::filesystem::path &inMemory(Bytes bytes)
{
    static test::MemoryFile file;
    file.write(bytes);
    return file.path();
}

/// What loads must be readable to the end.
void touch(std::span<const std::byte> bytes)
{
    volatile unsigned sum = 0;
    for (std::size_t i = 0; i < bytes.size(); i += std::min<std::size_t>(bytes.size() - i, 61))
        sum = sum + static_cast<unsigned>(bytes[i]);
    if (!bytes.empty())
        sum = sum + static_cast<unsigned>(bytes.back());
}

void useSummary(const ModelFile &file)
{
    const ModelSummary summary = describeModel(file);
    check(summary.problem || summary.plan);
    check(!summary.problem || summary.problem->size() < 8000);
    if (summary.plan)
        check(summary.plan->layerWeights.size() == static_cast<std::size_t>(summary.layers));
    parametersText(summary);
}

void encodeSome(const Tokenizer &tokenizer)
{
    const auto ids =
        tokenizer.encode(MarkedText::trusted("Hello <|im_end|> w\xc3\xb6rld \xff\n"), true);
    for (const TokenId id : ids)
        check(id >= 0 && static_cast<std::size_t>(id) < tokenizer.size());
    tokenizer.decode(ids, true);
}

/// A folder that stays, with files that each input replaces.
class Folder
{
public:
    const std::filesystem::path &path() const { return m_folder.path(); }
    void write(const char *name, std::string_view text)
    {
        test::writeText(m_folder / name, std::string(text));
    }

private:
    test::TempDir m_folder;
};

/// Weights of a model of two layers for configurations to speak of.
void writeWeights(const std::filesystem::path &path)
{
    test::SafetensorsBuilder weights;
    const auto zeros = [&](const std::string &name, std::vector<std::uint64_t> shape) {
        std::size_t size = 4;
        for (const std::uint64_t n : shape)
            size *= n;
        weights.zeros(name, "F32", shape, size);
    };
    zeros("model.embed_tokens.weight", {16, 32});
    zeros("model.norm.weight", {32});
    for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
        for (const char *norm : {"input_layernorm.weight", "post_attention_layernorm.weight"})
            zeros(layer + norm, {32});
        zeros(layer + "self_attn.q_proj.weight", {32, 32});
        zeros(layer + "self_attn.k_proj.weight", {16, 32});
        zeros(layer + "self_attn.v_proj.weight", {16, 32});
        zeros(layer + "self_attn.o_proj.weight", {32, 32});
        zeros(layer + "mlp.gate_proj.weight", {64, 32});
        zeros(layer + "mlp.up_proj.weight", {64, 32});
        zeros(layer + "mlp.down_proj.weight", {32, 64});
    }
    weights.write(path);
}

/// What a quantised tensor of a folder becomes; data are at most 64 kB, so little.
void unpackSome(const ModelTensor &tensor)
{
    if (!tensor.packed)
        return;
    std::vector<std::byte> bytes(tensor.storedBytes());
    unpackRows(*tensor.packed, 0, tensor.packed->depth * tensor.packed->rows, bytes.data());
    touch(bytes);
    bytes.resize(tensor.packed->productBytes());
    unpackRows(*tensor.packed, 0, tensor.packed->depth * tensor.packed->rows, bytes.data(),
               ColumnOrder::ByGroup);
    touch(bytes);
}

/// A GGUF file of a folder: whole, or an error and nothing.
void convertSome(const std::filesystem::path &folder)
{
    static const test::TempDir place;
    const std::filesystem::path target = place / "out.gguf";
    std::filesystem::remove(target);
    attempt([&] {
        quantizeFile({.source = folder, .target = target, .recipe = nullptr, .threads = 1});
        const ModelFile made = ModelFile::open(target);
        for (const ModelTensor &tensor : made.tensors())
            touch(tensor.bytes);
        attempt([&] { useSummary(made); });
    });
}

/// A part of a GGUF file from its description: lines "u16 KEY NUMBER", "i32 KEY NUMBER",
/// "string KEY TEXT" and "tensor NAME ROWS COLUMNS".
test::GgufBuilder partOf(std::string_view description)
{
    test::GgufBuilder part;
    std::istringstream lines{std::string(description)};
    for (std::string line, kind, name, value; std::getline(lines, line);) {
        std::istringstream words(line);
        words >> kind >> name >> value;
        long number = 0;
        std::from_chars(value.data(), value.data() + value.size(), number);
        if (kind == "u16")
            part.u16(name, static_cast<std::uint16_t>(number));
        else if (kind == "i32")
            part.i32(name, static_cast<std::int32_t>(number));
        else if (kind == "string")
            part.string(name, value);
        unsigned columns = 0;
        if (kind == "tensor" && words >> columns)
            part.tensor(name, DType::F32,
                        {std::uint64_t{columns} % 256, static_cast<std::uint64_t>(number) % 256});
    }
    return part;
}

} // namespace

/// How many parts their names speak of, which one is opened, and up to three parts; empty ones are
/// missing.
void split(Bytes input)
{
    static const test::TempDir place;
    const auto part = parts(input, 4);
    unsigned count = 0, opened = 0;
    std::istringstream(std::string(part[0])) >> count >> opened;
    for (const auto &old : std::filesystem::directory_iterator(place.path()))
        std::filesystem::remove(old.path());
    const auto nameOf = [&](unsigned number) {
        std::array<char, 48> text{};
        std::snprintf(text.data(), text.size(), "m-%05u-of-%05u.gguf", number % 100000,
                      count % 100000);
        return place / text.data();
    };
    for (unsigned i = 1; i < part.size(); ++i)
        if (!part[i].empty())
            partOf(part[i]).write(nameOf(i));
    attempt([&] {
        const ModelFile file = ModelFile::open(nameOf(opened));
        for (const ModelTensor &tensor : file.tensors()) {
            touch(tensor.bytes);
            check(file.findTensor(tensor.name) == &tensor);
        }
        check(file.headers().size() <= 3);
        attempt([&] { useSummary(file); });
    });
}

void gguf(Bytes input)
{
    attempt([&] {
        const Gguf opened = Gguf::open(inMemory(input));
        for (const GgufTensor &tensor : opened.tensors()) {
            touch(tensor.bytes);
            check(opened.findTensor(tensor.name) == &tensor);
        }
        for (const auto &entry : opened.metadata()) {
            const std::string_view key = entry.first;
            check(opened.find(key) == &entry.second);
            attempt([&] { opened.findUnsigned(key); });
            attempt([&] { opened.findFloat(key); });
            attempt([&] { opened.findBool(key); });
            attempt([&] { opened.findString(key); });
            attempt([&] { opened.findArray(key); });
        }
    });
}

/// From a GGUF to all that is known before its weights are used.
void model(Bytes input)
{
    attempt([&] {
        const ModelFile file = ModelFile::open(inMemory(input));
        attempt([&] { useSummary(file); });
        attempt([&] { encodeSome(*Tokenizer::fromModel(file)); });
        attempt([&] {
            if (const auto source = file.chatTemplate())
                ChatTemplate(*source).render({{"user", "hello"}}, true, "<s>", "</s>");
        });
    });
}

void safetensors(Bytes input)
{
    attempt([&] {
        const Safetensors opened = Safetensors::open(inMemory(input));
        for (const SafetensorsTensor &tensor : opened.tensors()) {
            touch(tensor.bytes);
            check(opened.findTensor(tensor.name) == &tensor);
        }
    });
}

/// The header of a safetensors file as text, the number of data bytes, and all other files.
void folder(Bytes input)
{
    static Folder place;
    const auto part = parts(input, 6);
    place.write("config.json", part[0]);
    std::size_t bytes = 0;
    std::from_chars(part[2].data(), part[2].data() + part[2].size(), bytes);
    test::writeFile(place.path() / "part.safetensors",
                    test::SafetensorsBuilder::file(std::string(part[1]),
                                                   std::min<std::size_t>(bytes, 1 << 16)));
    place.write("model.safetensors.index.json", part[3]);
    place.write("tokenizer_config.json", part[4]);
    place.write("tokenizer.json", part[5]);
    attempt([&] {
        const ModelFile file = ModelFile::open(place.path());
        for (const ModelTensor &tensor : file.tensors()) {
            touch(tensor.bytes);
            attempt([&] { unpackSome(tensor); });
        }
        attempt([&] { useSummary(file); });
        if (const auto source = file.chatTemplate())
            attempt([&] { ChatTemplate compiled(*source); });
        attempt([&] { encodeSome(*Tokenizer::fromModel(file)); });
    });
    convertSome(place.path());
}

void config(Bytes input)
{
    static Folder place;
    static const bool written = [] {
        writeWeights(place.path() / "model.safetensors");
        return true;
    }();
    check(written);
    place.write("config.json", textOf(input));
    attempt([&] { useSummary(ModelFile::open(place.path())); });
    convertSome(place.path());
}

} // namespace fireside::fuzz
