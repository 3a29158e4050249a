#pragma once
#include "engine/model/family.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace fireside {

class ModelFile;

/// Where a tensor of the table lies in a file.
struct FoundName
{
    std::string name; // the file's own; with '*' for the number of an expert, one tensor for each
    TensorForm form;
};

/// The file's own name for a tensor, which the model calls by its usual GGUF name
/// ("blk.3.attn_q.weight"): of several the one that is there. Of a GGUF file it is the same unless
/// the family has others. From `layers` on layers are heads for drafting.
FoundName findName(const ModelFile &file, const std::string &name,
                   std::int64_t layers = std::numeric_limits<std::int64_t>::max());
/// The same, the name only.
std::string tensorNameIn(const ModelFile &file, const std::string &name);

/// A tensor's name as it would be in the folder of the text model alone.
std::string ofTextModel(std::string_view name);

/// The layer that a tensor of either form of file belongs to; nullopt: none.
std::optional<std::size_t> layerOf(const ModelFile &file, std::string_view tensor);
/// Whether a tensor belongs to a head for drafting of a model of so many layers.
bool isOfDraft(const ModelFile &file, std::string_view tensor, std::int64_t layers);
/// Whether a model may have a tensor of this name without needing it: tables that can be computed,
/// masks, what is there for training, parts that read other kinds of input.
/// What reads pictures or sound beside the text model: "v.blk.0.attn_q.weight" of a GGUF file with
/// everything in one, "vision_tower.…" of a folder.
bool isOfOtherInput(const ModelFile &file, std::string_view tensor);
bool mayBeLeftOut(const ModelFile &file, std::string_view tensor);

// Orders of rows that several families have; see TensorForm.
std::int64_t firstRows(std::int64_t row, std::int64_t rows, const Config &config);
std::int64_t secondRows(std::int64_t row, std::int64_t rows, const Config &config);
std::int64_t evenRows(std::int64_t row, std::int64_t rows, const Config &config);
std::int64_t oddRows(std::int64_t row, std::int64_t rows, const Config &config);
/// q, k and v stored for each head of keys together (its queries, its key, its value), wanted as
/// all q, all k, all v: Falcon, GPT-NeoX, BLOOM.
std::int64_t qkvByKvHead(std::int64_t row, std::int64_t rows, const Config &config);

} // namespace fireside
