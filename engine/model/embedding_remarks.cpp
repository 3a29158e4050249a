#include "engine/model/embedding_remarks.h"

#include "engine/files/model_file.h"

#include <algorithm>
#include <cctype>

namespace fireside {

std::optional<std::string> poolingRemark(const Config &config)
{
    if (config.embeddingStated || !config.embeddingProblem.empty())
        return std::nullopt;
    return "The model's files do not name the pooling of its vectors: the mean of all rows is "
           "used, which may not be what the model was trained for.";
}

bool isForVectors(const ModelFile &file, const Config &config, const std::string &name)
{
    std::string names = name + ' ' + file.path().filename().string();
    std::transform(names.begin(), names.end(), names.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return config.encoder || config.embeddingStated || names.find("embed") != std::string::npos;
}

} // namespace fireside
