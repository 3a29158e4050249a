#include "app/runtime/window_models.h"

namespace fireside {

using State = server::ModelDesk::State;

std::vector<WindowModels::Listed> WindowModels::list() const
{
    const std::string id = m_desk.id();
    if (id.empty() || m_desk.state() == State::Failed)
        return {};
    return {{id, m_desk.state(), m_desk.context(), {}, m_desk.counts()}};
}

server::ModelDesk::Use WindowModels::use(const std::string &id, const std::function<bool()> &gone)
{
    constexpr std::chrono::milliseconds kLook{100};
    for (bool woken = false;;) {
        const State state = m_desk.state();
        if (state == State::Failed)
            throw server::ApiError(503, "no model is loaded in the window: " + m_desk.problem(),
                                   "model", "model_not_loaded");
        if (state != State::Loading && !m_desk.id().empty() && m_desk.id() != id)
            throwUnknown(id, list());
        if (auto use = m_desk.use()) {
            if (!use->fileChanged())
                return std::move(*use);
            if (!std::exchange(woken, true)) // the window loads the file as it is now
                m_wake();
        }
        if (gone())
            throw server::ApiError(503, "the client has gone");
        if (state == State::Away && !std::exchange(woken, true))
            m_wake();
        m_desk.wait(kLook);
    }
}

} // namespace fireside
