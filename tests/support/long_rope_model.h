#pragma once
#include "tests/support/reference_decoder.h"

#include <filesystem>
#include <span>
#include <vector>

namespace fireside::test {

/// A small Phi 3 with LongRoPE: chats up to kLimit tokens turn in one way, longer ones in another.
class LongRopeModel
{
public:
    static constexpr std::size_t kLimit = 12;
    LongRopeModel();
    /// mscales: with factors of attention for both, as PhiMoE has them.
    void writeFolder(const std::filesystem::path &folder, bool mscales = false) const;
    void writeGguf(const std::filesystem::path &path) const;
    /// By transformers' rule the length of the chat decides for all of its tokens: [ids,
    /// vocabulary]
    std::vector<double> logits(std::span<const std::int32_t> ids, bool mscales = false) const;
    /// The last row of them.
    std::vector<double> last(std::span<const std::int32_t> ids) const;
    std::size_t vocabulary() const { return m_options.vocabulary; }
    /// A text of so many tokens.
    std::vector<std::int32_t> text(std::size_t count) const;

private:
    ReferenceOptions m_options;
    ReferenceTensors m_tensors;
    std::vector<float> m_short, m_long;
};

} // namespace fireside::test
