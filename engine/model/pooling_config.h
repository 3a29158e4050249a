#pragma once
#include "engine/model/config.h"

namespace fireside {

class GgufKeys;
class HuggingFaceFolder;

// What a file says its embeddings are made of; it never keeps a model from loading. Unless said
// otherwise the mean of the final rows, and a score where there is a head for it.

/// 1_Pooling/config.json, which sentence-transformers writes.
void readPooling(const HuggingFaceFolder &folder, Config &config);
/// The key pooling_type.
void readPooling(const GgufKeys &keys, Config &config);

} // namespace fireside
