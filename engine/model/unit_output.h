#pragma once
#include "engine/model/weights.h"

namespace fireside {

/// A matrix as the form says. Where its rows or columns get the length 1 it is made anew in memory
/// of the table: F32 stays, other types become F16.
WeightSource inForm(const WeightTable &table, WeightSource source, OutputForm form);

} // namespace fireside
