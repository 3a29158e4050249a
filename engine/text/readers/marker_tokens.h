#pragma once
#include <string>
#include <vector>

namespace fireside {

class ModelFile;

/// Those of these texts that the model's tokenizer would cut into pieces, because they are no
/// tokens that are looked for before a text is cut. Reads names of tokens only; a model without a
/// vocabulary gives none. Throws Error where the vocabulary cannot be read.
std::vector<std::string> withoutToken(const ModelFile &file, std::vector<std::string> texts);

} // namespace fireside
