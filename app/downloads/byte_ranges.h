#pragma once
#include "app/network/reply_head.h"

#include <map>
#include <vector>

namespace fireside {

/// Which bytes of a file are there: ranges that neither touch nor overlap.
class ByteRanges
{
public:
    void add(ByteRange range);
    void clear() { m_ends.clear(); }
    qint64 bytes() const; // in all ranges together
    std::vector<ByteRange> ranges() const;
    /// What is not there of [0, size).
    std::vector<ByteRange> missing(qint64 size) const;

private:
    std::map<qint64, qint64> m_ends; // by beginning
};

} // namespace fireside
