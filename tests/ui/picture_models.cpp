#include "tests/ui/picture_models.h"

#include "app/bench/shapes.h"
#include "app/models/model_library.h"
#include "engine/tensor/dtype.h"
#include "tests/support/gguf_builder.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <array>
#include <string>
#include <variant>
#include <vector>

namespace fireside::test {
namespace {

struct Picture
{
    const char *path; // below the home
    const char *shape, *name, *license;
    DType type;
    std::uint32_t fileType; // as the format numbers mixes
};

constexpr std::array kModels{
    Picture{".lmstudio/models/bartowski/Llama-3.2-3B-Instruct-Q8_0.gguf", "llama-3.2-3b",
            "Llama 3.2 3B Instruct", "llama3.2", DType::Q8_0, 7},
    Picture{"data/fireside/models/Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama-3.1-8b",
            "Llama 3.1 8B Instruct", "llama3.1", DType::Q4_K, 15},
    Picture{"data/fireside/models/Qwen3-30B-A3B-Q4_K_M.gguf", "qwen3-30b-a3b", "Qwen3 30B A3B",
            "apache-2.0", DType::Q4_K, 15},
    Picture{".lmstudio/models/lmstudio-community/gemma-3-4b-it-Q6_K.gguf", "gemma-3-4b",
            "Gemma 3 4B Instruct", "gemma", DType::Q6_K, 18},
    Picture{"cache/huggingface/hub/models--Qwen--Qwen2.5-7B-Instruct-GGUF/snapshots/bb5d59e/"
            "qwen2.5-7b-instruct-q6_k.gguf",
            "qwen2.5-7b", "Qwen2.5 7B Instruct", "apache-2.0", DType::Q6_K, 18},
    Picture{".lmstudio/models/bartowski/Llama-3.3-70B-Instruct-Q4_K_M.gguf", "llama-3.3-70b",
            "Llama 3.3 70B Instruct", "llama3.3", DType::Q4_K, 15},
};

void add(GgufBuilder &file, const std::string &key, const Shape::Value &value)
{
    if (const auto *number = std::get_if<std::uint32_t>(&value))
        file.u32(key, *number);
    else if (const auto *fraction = std::get_if<float>(&value))
        file.f32(key, *fraction);
    else if (const auto *truth = std::get_if<bool>(&value))
        file.boolean(key, *truth);
    else
        file.u32Array(key, std::get<std::vector<std::uint32_t>>(value));
}

void addVocabulary(GgufBuilder &file, int size)
{
    std::vector<std::string> tokens;
    std::vector<std::int32_t> kinds(static_cast<std::size_t>(size), 1);
    for (int i = 0; i < size; ++i)
        tokens.push_back(i < 94 ? std::string(1, static_cast<char>('!' + i))
                                : "fill" + std::to_string(i));
    kinds.back() = 3;
    file.string("tokenizer.ggml.model", "gpt2").string("tokenizer.ggml.pre", "llama-bpe");
    file.u32("tokenizer.ggml.eos_token_id", static_cast<std::uint32_t>(size - 1));
    file.strings("tokenizer.ggml.tokens", tokens).i32Array("tokenizer.ggml.token_type", kinds);
    file.strings("tokenizer.ggml.merges", std::vector<std::string>{"! !"});
    file.string("tokenizer.chat_template", "{% for m in messages %}{{ m.content }}{% endfor %}");
}

/// A header as a real model's, and nothing in the file behind it.
void write(const Picture &picture, const QString &path)
{
    const Shape shape = shapeNamed(picture.shape);
    GgufBuilder file;
    file.string("general.architecture", shape.architecture);
    file.string("general.name", picture.name).string("general.license", picture.license);
    file.u32("general.file_type", picture.fileType);
    for (const auto &[key, value] : shape.keys)
        add(file, shape.architecture + '.' + key, value);
    addVocabulary(file, shape.vocabulary);
    std::uint64_t offset = 0;
    for (const ShapeTensor &tensor : shape.tensors) {
        DType type = tensor.plain ? DType::F32 : picture.type;
        if (tensor.cols % static_cast<int>(info(type).blockElements) != 0)
            type = DType::Q8_0;
        std::vector<std::uint64_t> sizes{static_cast<std::uint64_t>(tensor.cols)};
        for (const int size : {tensor.rows, tensor.depth}) {
            if (size > 1)
                sizes.push_back(static_cast<std::uint64_t>(size));
        }
        if (tensor.depth > 1 && tensor.rows == 1)
            sizes.insert(sizes.begin() + 1, 1);
        file.rawTensor(tensor.name, sizes, info(type).ggmlId, 0, offset);
        const std::size_t bytes = rowBytes(type, static_cast<std::size_t>(tensor.cols)) *
                                  static_cast<std::size_t>(tensor.rows) *
                                  static_cast<std::size_t>(tensor.depth);
        offset += (bytes + 31) / 32 * 32;
    }
    QDir().mkpath(QFileInfo(path).path());
    file.write(QFile::encodeName(path).toStdString());
    QFile written(path);
    written.resize(static_cast<qint64>((file.headerSize() + 31) / 32 * 32 + offset));
}

} // namespace

void makePictureModels(const QString &home)
{
    for (const Picture &picture : kModels)
        write(picture, home + QLatin1Char('/') + QLatin1String(picture.path));
    // What is not a model is listed as well, with the reason.
    QFile cut(ModelLibrary::firesideFolder() + QStringLiteral("/Mistral-7B-v0.3-Q4_K_M.gguf"));
    if (cut.open(QIODevice::WriteOnly))
        cut.write("GGUF");
}

} // namespace fireside::test
