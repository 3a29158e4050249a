#pragma once
#include <string>
#include <vector>

namespace fireside {

class ModelFile;

/// Doubts about how a model's text is read, a whole sentence each: what its file leaves to a guess,
/// and where tokenizer and chat template do not fit together. Looks at names of tokens and what the
/// template writes, without making the tokenizer. What makes a file unusable is no remark: whoever
/// reads that part throws it.
std::vector<std::string> textRemarks(const ModelFile &file);

} // namespace fireside
