#pragma once
#include "engine/model/family.h"

#include <span>

// The families by their makers; see architectures.h for what finds them.
namespace fireside {

std::span<const Family> llamaFamilies();   // Meta, Mistral, and those that changed little
std::span<const Family> qwenFamilies();    // Alibaba
std::span<const Family> gemmaFamilies();   // Google
std::span<const Family> phiFamilies();     // Microsoft
std::span<const Family> gptFamilies();     // the line of GPT-2: learned or linear positions
std::span<const Family> latentFamilies();  // DeepSeek and others with its attention or its mixture
std::span<const Family> mixtureFamilies(); // other mixtures
std::span<const Family> olmoFamilies();    // AI2, LG, Cohere, Zhipu: norms at other places

} // namespace fireside
