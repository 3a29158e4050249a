#include "app/tools/input_queue.h"

#include "app/tools/mcp/client.h"

#include <algorithm>

namespace fireside {

void InputQueue::follow(mcp::Client &client)
{
    client.setAnswersInput(true);
    mcp::Client *const asking = &client;
    connect(asking, &mcp::Client::inputWanted, this,
            [this, asking](qint64 id, const InputRequest &request) {
                m_entries.append(Kept{{++m_lastId, request}, asking, id});
                emit changed();
            });
    connect(asking, &mcp::Client::inputWithdrawn, this, [this, asking](qint64 id) {
        if (const qsizetype at = indexOf(asking, id); at >= 0) {
            m_entries.removeAt(at);
            emit changed();
        }
    });
    connect(asking, &mcp::Client::inputDone, this, [this, asking](const QString &errand) {
        for (const Kept &one : std::as_const(m_entries))
            if (one.client == asking && one.request.opened && one.request.id == errand)
                return answer(one.id, {InputAnswer::Accept, {}});
    });
    connect(asking, &QObject::destroyed, this, &InputQueue::drop);
}

void InputQueue::drop(const QObject *client)
{
    const auto gone = [client](const Kept &one) { return !one.client || one.client == client; };
    if (m_entries.removeIf(gone) > 0)
        emit changed();
}

qsizetype InputQueue::indexOf(const mcp::Client *client, qint64 clientsId) const
{
    for (qsizetype i = 0; i < m_entries.size(); ++i)
        if (m_entries[i].client == client && m_entries[i].clientsId == clientsId)
            return i;
    return -1;
}

std::optional<InputQueue::Entry> InputQueue::first() const
{
    return m_entries.isEmpty() ? std::nullopt : std::optional<Entry>(m_entries.first());
}

void InputQueue::answer(qint64 id, const InputAnswer &answer)
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                    [id](const Kept &one) { return one.id == id; });
    if (found == m_entries.end())
        return;
    const bool opens =
        found->request.isPage() && answer.action == InputAnswer::Accept && !found->request.opened;
    const QUrl page = found->request.page;
    if (opens && found->request.waits) {
        found->request.opened = true;
    } else {
        const Kept gone = *found;
        m_entries.erase(found);
        if (gone.client)
            gone.client->answerInput(gone.clientsId, answer);
    }
    if (opens)
        emit browserWanted(page);
    emit changed();
}

} // namespace fireside
