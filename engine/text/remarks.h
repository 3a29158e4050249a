#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fireside {

class ModelFile;
class Tokenizer;

/// Doubts about how a model's text is read, a whole sentence each: what its file leaves to a guess,
/// and where tokenizer and chat template do not fit together. Looks at names of tokens and what the
/// template writes, without making the tokenizer. What makes a file unusable is no remark: whoever
/// reads that part throws it.
std::vector<std::string> textRemarks(const ModelFile &file);

/// Why texts cannot be given to the model: it has no tokenizer, or one that fails as it would when
/// the model is loaded. rows: of the embedding. nullopt: nothing is wrong.
std::optional<std::string> textProblemOf(const ModelFile &file, std::size_t rows);

/// That nothing marks the end of a text that the tokenizer encodes, where the row of the last token
/// stands for the text; nullopt: something does, or there is no tokenizer.
std::optional<std::string> endTokenRemark(const Tokenizer &tokenizer);
std::optional<std::string> endTokenRemark(const ModelFile &file);

/// Error(BadInput) where the tokenizer has ids for which the embedding has no row.
void requireRows(const Tokenizer &tokenizer, const std::filesystem::path &file, std::size_t rows);

} // namespace fireside
