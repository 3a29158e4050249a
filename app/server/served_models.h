#pragma once
#include "app/server/model_desk.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fireside::server {

/// How a model is called unless someone says otherwise: the end of its path without the ending of
/// model files, of a folder its name.
std::string usualId(std::filesystem::path model);

/// The models that a server can answer with.
class ServedModels
{
public:
    struct Listed
    {
        std::string id;
        ModelDesk::State state = ModelDesk::State::Away;
        int context = 0; // that it has or will have when it is loaded; 0: not known
        std::string problem{};
        SchedulerCounts counts{};
        int contextTrained = 0; // 0: not known
    };
    virtual ~ServedModels() = default;
    virtual std::vector<Listed> list() const = 0;
    /// Once it is loaded, which may take a while; ApiError(404) for one that is not among them,
    /// ApiError(503) where it cannot be loaded or `gone` is true. For any thread.
    virtual ModelDesk::Use use(const std::string &id, const std::function<bool()> &gone) = 0;

protected:
    [[noreturn]] static void throwUnknown(const std::string &asked, const std::vector<Listed> &all);
};

} // namespace fireside::server
