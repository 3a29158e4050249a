#pragma once
#include "tests/support/reference_decoder.h"

#include <filesystem>
#include <span>
#include <vector>

namespace fireside::test {

/// A small Kimi Linear with layers of both kinds: delta attention, and latent attention without
/// positions.
class KimiModel
{
public:
    KimiModel();
    KimiModel(const KimiModel &) = delete;
    void writeFolder(const std::filesystem::path &folder) const;
    /// [ids, vocabulary]
    std::vector<double> logits(std::span<const std::int32_t> ids) const;
    std::size_t vocabulary() const { return m_options.vocabulary; }

private:
    std::vector<std::vector<double>> delta(const std::string &layer,
                                           const std::vector<std::vector<double>> &x) const;
    std::vector<std::vector<double>> latent(const std::string &layer,
                                            const std::vector<std::vector<double>> &x) const;

    ReferenceOptions m_options;
    ReferenceTensors m_tensors;
};

} // namespace fireside::test
