#pragma once
#include "engine/backend/ops/linear.h"

namespace fireside::vulkan {

class Recorder;
/// Products of a few rows by weights of few rows that are not quantised, as routers have. False
/// where this is not the way, and nothing is done. Shapes are checked in linear.cpp.
bool linearGemvFew(Recorder &r, const LinearInput &x, const LinearTarget &target);

} // namespace fireside::vulkan
