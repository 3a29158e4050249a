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
std::span<const Family> bertFamilies();    // encoders
std::span<const Family> olmoFamilies();    // AI2, LG, Cohere, Zhipu: norms at other places
std::span<const Family> mambaFamilies();   // state spaces alone
std::span<const Family> hybridFamilies();  // attention and state spaces: AI21, TII, IBM
std::span<const Family> nemotronHFamilies(); // NVIDIA: layers of one block
std::span<const Family> deltaFamilies();     // attention and gated delta rules
std::span<const Family> deciFamilies();      // NVIDIA and Deci: layers that lack parts
std::span<const Family> lfmFamilies();       // Liquid AI
std::span<const Family> chineseFamilies();   // InternLM, XVERSE, Orion, Pangu: near to Llama

} // namespace fireside
