#pragma once
#include "app/server/served_models.h"

#include <functional>

namespace fireside {

/// The model that the window has loaded, as its server offers it.
class WindowModels final : public server::ServedModels
{
public:
    /// wake: by any thread, when the model rests and is asked for.
    explicit WindowModels(std::function<void()> wake)
        : m_wake(std::move(wake))
    {}
    server::ModelDesk &desk() { return m_desk; }
    const server::ModelDesk &desk() const { return m_desk; }

    std::vector<Listed> list() const override;
    server::ModelDesk::Use use(const std::string &id, const std::function<bool()> &gone) override;

private:
    const std::function<void()> m_wake;
    server::ModelDesk m_desk;
};

} // namespace fireside
