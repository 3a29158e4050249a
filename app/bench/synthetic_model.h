#pragma once
#include "engine/tensor/dtype.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fireside {

struct Shape;

/// A GGUF file of a real model's shape with random weights: for speed and memory, its text is
/// noise. Owner of the file, which lies in the system's temporary folder and goes with the object.
class SyntheticModel
{
public:
    /// shape: "llama-3.2-1b"; type: "q4_k_m" or one weight type like "q8_0", "f16".
    /// Error(BadInput) names what is known when either is not.
    /// keep: where the file goes and stays, instead.
    SyntheticModel(std::string_view shape, std::string_view type,
                   const std::filesystem::path &keep = {});
    ~SyntheticModel();
    SyntheticModel(const SyntheticModel &) = delete;
    SyntheticModel &operator=(const SyntheticModel &) = delete;

    const std::filesystem::path &path() const { return m_path; }
    static std::string knownTypes();

private:
    void write(const Shape &shape, std::optional<DType> uniform, const std::string &label) const;

    bool m_keep;
    std::filesystem::path m_path;
};

} // namespace fireside
