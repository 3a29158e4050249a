#pragma once
#include <cstdint>

namespace fireside {

/// In place of the ids that argmax() and topK() choose: the row holds NaN or an infinity. So a
/// broken model never passes for a bad one.
constexpr std::int32_t kNotFinite = -2;

} // namespace fireside
