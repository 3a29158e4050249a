#pragma once
#include "engine/text/tokenizers/vocabulary.h"

#include <algorithm>
#include <array>

namespace fireside {

/// The tokens that stand for single bytes (<0x41>).
class ByteTokens
{
public:
    explicit ByteTokens(const Vocabulary &vocabulary)
    {
        m_ids.fill(-1);
        for (std::size_t i = 0; i < vocabulary.size(); ++i) {
            const auto id = static_cast<TokenId>(i);
            if (vocabulary.kind(id) == TokenKind::Byte)
                if (const auto byte = parseByteToken(vocabulary.text(id)))
                    m_ids[*byte] = id;
        }
    }

    bool isComplete() const
    {
        return std::all_of(m_ids.begin(), m_ids.end(), [](TokenId id) { return id >= 0; });
    }

    /// False, and nothing is appended, when one of the bytes has no token.
    bool append(std::string_view bytes, std::vector<TokenId> &out) const
    {
        const auto idOf = [this](char byte) { return m_ids[static_cast<unsigned char>(byte)]; };
        for (const char byte : bytes)
            if (idOf(byte) < 0)
                return false;
        for (const char byte : bytes)
            out.push_back(idOf(byte));
        return true;
    }

private:
    std::array<TokenId, 256> m_ids; // -1: none
};

} // namespace fireside
