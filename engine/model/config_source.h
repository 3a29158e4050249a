#pragma once
#include "engine/model/config.h"
#include "engine/model/family.h"
#include "engine/model/rope_frequencies.h"

#include <string>

// What the readers of GGUF files and of Hugging Face folders share.
namespace fireside {

class Gguf;
class HuggingFaceFolder;

Config readGgufConfig(const ModelFile &file, const Gguf &gguf, const Family &family);
Config readFolderConfig(const ModelFile &file, const HuggingFaceFolder &folder,
                        const Family &family);

/// Bounds of the numbers that both have; they make later arithmetic safe.
inline constexpr std::int64_t kMaxLayers = 1024, kMaxHidden = 1 << 18, kMaxHeads = 1024,
                              kMaxHeadDim = 1024, kMaxFfn = 1 << 20, kMaxVocabulary = 1 << 24,
                              kMaxExperts = 1 << 12;
inline constexpr std::int64_t kMaxContext = std::int64_t{1} << 40;
inline constexpr std::int64_t kMaxTaps = 1 << 10, kMaxStates = 1 << 16;
/// What a model without attention is said to be trained for, which has no limit of its own.
inline constexpr std::int64_t kRecurrentContext = std::int64_t{1} << 20;
inline constexpr double kMaxScale = 1e6; // of multipliers

/// Checks that heads divide into groups and that the head size is even; the texts name where each
/// number was read. headDim 0: the width divided by the heads.
void checkHeads(Config &config, const std::string &heads, const std::string &kvHeads,
                const std::string &headDim);

/// What the family says of all its models.
void applyFamily(const Family &family, Config &config);
/// One entry for each layer, from what holds for most.
void fillLayers(Config &config);
/// What must hold of the whole, for `what` ("FILE"): windows or chunks, sharing of caches.
void checkLayers(const Config &config, const std::string &file);

/// The rotary embedding of the settings, and that of short contexts where there is another.
void setRope(const RopeSettings &settings, RopePairing pairing, Config &config);

/// Rows of the embedding: the vocabulary.
std::int64_t vocabularyOf(const ModelFile &file);

} // namespace fireside
