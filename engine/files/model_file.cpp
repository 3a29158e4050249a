#include "engine/files/model_file.h"

#include "engine/core/checksum.h"
#include "engine/core/error.h"
#include "engine/files/gguf_split.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace fireside {

ModelTensor ModelTensor::of(const GgufTensor &t)
{
    ModelTensor tensor{t.name, ggmlTypeName(t.ggmlType), t.dtype, {}, t.bytes};
    for (int i = t.rank; i-- > 0;)
        tensor.shape.push_back(t.dims[static_cast<std::size_t>(i)]);
    return tensor;
}

std::uint64_t ModelTensor::elements() const
{
    std::uint64_t count = 1;
    for (const std::uint64_t n : shape)
        count *= n; // cannot overflow: the reader checked the bytes
    return count;
}

std::uint64_t ModelTensor::storedBytes() const
{
    return packed ? packed->storedBytes() : bytes.size();
}

std::uint64_t ModelTensor::productBytes() const
{
    return packed ? packed->productBytes() : bytes.size();
}

std::uint64_t ModelTensor::fileBytes() const
{
    return packed ? packed->fileBytes() : bytes.size();
}

ModelFile ModelFile::open(const std::filesystem::path &path)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error) || HuggingFaceFolder::isAt(path))
        return ModelFile(HuggingFaceFolder::open(path));
    if (path.extension() == ".safetensors")
        throwBadInput(path.string() +
                      ": weights alone are no model: config.json is missing beside");
    return ModelFile(openGgufParts(path));
}

ModelFile::ModelFile(Gguf gguf)
    : m_source(std::move(gguf))
{
    const Gguf &file = std::get<Gguf>(m_source);
    m_packed = findScaledWeights(file);
    m_tensors.reserve(file.tensors().size());
    auto packed = m_packed.weights.begin(); // in the same order
    for (const GgufTensor &t : file.tensors()) {
        if (m_packed.partNames.contains(t.name))
            continue;
        ModelTensor tensor = ModelTensor::of(t);
        if (packed != m_packed.weights.end() && packed->name == t.name) {
            tensor.packed = &*packed++;
            tensor.dtype = tensor.packed->stored;
            tensor.bytes = {};
        }
        m_tensors.push_back(std::move(tensor));
    }
    indexTensors();
}

ModelFile::ModelFile(HuggingFaceFolder folder)
    : m_source(std::move(folder))
{
    const HuggingFaceFolder &source = std::get<HuggingFaceFolder>(m_source);
    m_packed = findPackedWeights(source.path(), source.config(), source.tensors());
    m_tensors.reserve(source.tensors().size());
    for (const SafetensorsTensor *t : source.tensors())
        if (!m_packed.parts.contains(t))
            m_tensors.push_back({t->name, t->type, t->dtype, t->shape, t->bytes});
    for (const PackedWeight &w : m_packed.weights) {
        ModelTensor tensor{w.name, w.label(), w.stored, {w.rows, w.cols}, {}, &w};
        if (w.form == PackedWeight::Form::Mxfp4)
            tensor.shape.insert(tensor.shape.begin(), w.depth);
        m_tensors.push_back(std::move(tensor));
    }
    indexTensors();
}

namespace {

std::span<const std::byte> headerOf(const Gguf &part)
{
    const std::span<const std::byte> bytes = part.file().bytes();
    return bytes.first(std::min(bytes.size(), static_cast<std::size_t>(part.dataOffset())));
}

} // namespace

void ModelFile::indexTensors()
{
    m_index.reserve(m_tensors.size());
    for (std::size_t i = 0; i < m_tensors.size(); ++i)
        m_index.emplace(m_tensors[i].name, i);
}

const std::filesystem::path &ModelFile::path() const
{
    return gguf() ? gguf()->path() : folder()->path();
}

const ModelTensor *ModelFile::findTensor(std::string_view name) const
{
    const auto entry = m_index.find(name);
    return entry == m_index.end() ? nullptr : &m_tensors[entry->second];
}

std::optional<std::string> ModelFile::chatTemplate() const
{
    std::optional<std::string> text;
    if (folder())
        text = folder()->chatTemplate();
    else if (const auto found = gguf()->findString("tokenizer.chat_template"))
        text = *found;
    const bool blank = text && text->find_first_not_of(" \n\t\r") == std::string::npos;
    return blank ? std::nullopt : text; // an empty one writes nothing
}

std::vector<const MappedFile *> ModelFile::files() const
{
    if (gguf())
        return gguf()->files();
    std::vector<const MappedFile *> files{&folder()->configFile()};
    for (const Safetensors &shard : folder()->shards())
        files.push_back(&shard.file());
    return files;
}

std::uint64_t ModelFile::fileBytes() const
{
    std::uint64_t sum = 0;
    for (const MappedFile *file : files())
        sum += file->bytes().size();
    return folder() ? sum - folder()->configFile().bytes().size() : sum;
}

std::vector<std::span<const std::byte>> ModelFile::headers() const
{
    if (gguf()) {
        std::vector<std::span<const std::byte>> headers{headerOf(*gguf())};
        for (const Gguf &part : gguf()->others())
            headers.push_back(headerOf(part));
        return headers;
    }
    std::vector<std::span<const std::byte>> headers{folder()->configFile().bytes()};
    for (const Safetensors &shard : folder()->shards())
        headers.push_back(shard.file().bytes().first(static_cast<std::size_t>(shard.dataOffset())));
    return headers;
}

std::uint64_t ModelFile::contentHash() const
{
    constexpr std::size_t kPieces = 256, kPiece = 4096; // of each file
    Checksum sum;
    for (const MappedFile *file : files()) {
        // Not through the map, whose pages would stay in memory; a file that changed meanwhile is
        // found by requireUnchanged().
        const std::uint64_t size = file->bytes().size();
        sum.add(std::as_bytes(std::span(&size, 1)));
        std::ifstream stream(file->path(), std::ios::binary);
        std::array<char, kPiece> piece{};
        const std::uint64_t step = std::max<std::uint64_t>(kPiece, size / kPieces);
        for (std::uint64_t at = 0; at < size && stream; at += step) {
            const std::uint64_t count = std::min<std::uint64_t>(kPiece, size - at);
            stream.seekg(static_cast<std::streamoff>(at));
            stream.read(piece.data(), static_cast<std::streamsize>(count));
            sum.add(std::as_bytes(std::span(piece)).first(count));
        }
    }
    return sum.value();
}

void ModelFile::dropPages() const
{
    for (const MappedFile *file : files())
        file->dropPages();
}

void ModelFile::requireUnchanged() const
{
    for (const MappedFile *file : files())
        file->requireUnchanged();
}

} // namespace fireside
