#pragma once
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"

#include <string>
#include <vector>

// What the files of recurrent and hybrid families say alike.
namespace fireside {

/// The words that config.json has for the numbers of Mamba 2.
struct Mamba2Keys
{
    const char *heads, *headDim, *states, *groups, *taps;
    const char *width; // or nullptr: heads times their size
    std::int64_t headsMissing, headDimMissing, statesMissing, groupsMissing;
};
/// Those of Falcon-H1, Granite 4 and others, each with "mamba_" before it.
extern const Mamba2Keys kPrefixedMamba2;

void readMamba2(const JsonKeys &keys, const Mamba2Keys &names, Config &config);
/// Numbers of Mamba and Mamba 2.
void readStateSpaceGguf(const GgufKeys &keys, Config &config);
/// Layers without heads of keys have the mixer.
void readRecurrentLayersGguf(const GgufKeys &keys, Mixer mixer, Config &config);
/// A mixture where there is a router.
void readSparseLayersGguf(const GgufKeys &keys, Config &config);

/// "full_attention", "linear_attention" and others of each layer, older names turned into these;
/// of `layer_types`, of `layers_block_type`, or empty.
std::vector<std::string> layerKinds(const JsonKeys &keys, std::int64_t layers);
/// Sets the mixer of each linear layer; without a list of kinds every fourth layer attends.
/// Error(Unsupported) for other kinds.
void readMixers(const JsonKeys &keys, Mixer linear, Config &config);
/// The numbers of gated delta nets, as Qwen3-Next writes them.
void readDelta(const JsonKeys &keys, Config &config);
/// Error(Unsupported) naming the key where another activation than SiLU is asked for.
void requireSilu(const JsonKeys &keys, const char *key);

} // namespace fireside
