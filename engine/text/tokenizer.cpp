#include "engine/text/tokenizer.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/gguf_split.h"
#include "engine/files/model_file.h"
#include "engine/text/readers/tokenizer_gguf.h"
#include "engine/text/readers/tokenizer_json.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace fireside {
namespace {

namespace fs = std::filesystem;

bool startsLikeGguf(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::array<char, 4> magic{};
    return file.read(magic.data(), magic.size()) && std::string_view(magic.data(), 4) == "GGUF";
}

fs::path findInFolder(const fs::path &folder)
{
    std::error_code error;
    if (fs::is_regular_file(folder / "tokenizer.json", error))
        return folder / "tokenizer.json";
    std::vector<fs::path> files;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".gguf")
            files.push_back(it->path());
    if (error)
        throw Error(ErrorKind::Io, printable(folder.string()) + ": " + error.message());
    if (files.empty())
        throwBadInput(folder.string() + " holds neither a tokenizer.json nor a GGUF file");
    // Of a split model the first part carries the metadata.
    return *std::min_element(files.begin(), files.end());
}

} // namespace

std::unique_ptr<Tokenizer> Tokenizer::fromGguf(const Gguf &gguf)
{
    return makeTokenizerFromGguf(gguf);
}

std::unique_ptr<Tokenizer> Tokenizer::fromTokenizerJson(const std::filesystem::path &path)
{
    return makeTokenizerFromJson(path);
}

std::unique_ptr<Tokenizer> Tokenizer::fromModel(const ModelFile &file)
{
    if (file.gguf())
        return readUnchanged(file, [&] { return fromGguf(*file.gguf()); });
    const fs::path path = file.path() / "tokenizer.json";
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        throwBadInput(file.path().string() + " holds no tokenizer.json");
    return fromTokenizerJson(path);
}

std::unique_ptr<Tokenizer> Tokenizer::open(const std::filesystem::path &path)
{
    std::error_code error;
    const fs::path file = fs::is_directory(path, error) ? findInFolder(path) : path;
    if (startsLikeGguf(file)) {
        const Gguf gguf = openGgufParts(file);
        return readUnchanged(gguf.file(), [&] { return fromGguf(gguf); });
    }
    return fromTokenizerJson(file);
}

} // namespace fireside
