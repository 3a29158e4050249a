#pragma once
#include "engine/files/gguf.h"
#include "engine/files/hugging_face_folder.h"
#include "engine/files/packed_weight.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace fireside {

/// A tensor of a model, whatever file it lies in.
struct ModelTensor
{
    std::string_view name;                // the file's own
    std::string type;                     // as the format calls it: "Q4_K", "BF16"
    std::optional<DType> dtype;           // nullopt: a type we do not compute with
    std::vector<std::uint64_t> shape;     // slowest first: {rows, cols}, {experts, rows, cols}
    std::span<const std::byte> bytes;     // in the mapped file; of a packed weight none
    const PackedWeight *packed = nullptr; // how it lies in the file, where not as `dtype`
    /// As it lies in the file, without what stands beside it.
    static ModelTensor of(const GgufTensor &tensor);

    std::uint64_t elements() const;
    std::uint64_t storedBytes() const;  // in memory, as `dtype`
    std::uint64_t productBytes() const; // in memory, as products take it
    std::uint64_t fileBytes() const;    // in the file
};

/// A model on disk: a GGUF file or a Hugging Face folder, with one view of the tensors of both.
class ModelFile
{
public:
    /// A GGUF file, a folder, its config.json or one of its .safetensors files. Throws Error.
    static ModelFile open(const std::filesystem::path &path);
    ModelFile(Gguf gguf);                // NOLINT: a GGUF file is a model file
    ModelFile(HuggingFaceFolder folder); // NOLINT

    const std::filesystem::path &path() const; // of the file or the folder
    const Gguf *gguf() const { return std::get_if<Gguf>(&m_source); }
    const HuggingFaceFolder *folder() const { return std::get_if<HuggingFaceFolder>(&m_source); }
    std::uint64_t fileBytes() const; // of the weights' files

    const std::vector<ModelTensor> &tensors() const { return m_tensors; }
    const ModelTensor *findTensor(std::string_view name) const; // nullptr when absent
    std::optional<std::string> chatTemplate() const;
    /// Why the weights cannot be read: "quantisation 'bitsandbytes'".
    const std::optional<std::string> &problem() const { return m_packed.problem; }

    /// Everything before the weights, file by file: what tells one model from another.
    std::vector<std::span<const std::byte>> headers() const;

    /// Of 256 pieces of 4 kB at even distances in each file (all of a small one): models of one
    /// form whose weights differ give other numbers, and not all is read. With the headers, which
    /// ModelSummary::fingerprint is of, it tells models apart.
    std::uint64_t contentHash() const;

    void requireUnchanged() const; // Error for any of the files, see MappedFile
    /// Gives what was read so far back to the system, see MappedFile.
    void dropPages() const;

private:
    void indexTensors();
    std::vector<const MappedFile *> files() const;

    std::variant<Gguf, HuggingFaceFolder> m_source;
    PackedWeights m_packed;
    std::vector<ModelTensor> m_tensors;
    std::unordered_map<std::string_view, std::size_t> m_index;
};

} // namespace fireside
