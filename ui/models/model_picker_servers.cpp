// The models of servers elsewhere in the picker.
#include "app/remote/remote_models.h"
#include "ui/models/model_picker.h"

#include <QPushButton>

namespace fireside {

void ModelPicker::setServers(RemoteModels &servers)
{
    m_servers = &servers;
    m_serversButton->show();
    connect(m_servers, &RemoteModels::modelsChanged, this, [this] {
        syncEntries();
        showProblems();
    });
    syncEntries();
    showProblems();
}

QList<ModelEntry> ModelPicker::serverEntries() const
{
    QList<ModelEntry> entries;
    if (!m_servers)
        return entries;
    for (const RemoteServer &server : m_servers->servers().all()) {
        const ServerModels known = m_servers->modelsOf(server.id);
        for (const OfferedModel &model : known.listing.models) {
            ModelEntry entry;
            entry.path = remotePath(server.id, model.name);
            entry.name = shownName(model.name);
            entry.source = tr("Server %1").arg(server.title());
            entry.elsewhere = server.address.toString(QUrl::RemovePath);
            entry.contextTrained = model.context;
            entries.append(entry);
        }
    }
    return entries;
}

QStringList ModelPicker::serverProblems() const
{
    QStringList problems;
    if (!m_servers)
        return problems;
    for (const RemoteServer &server : m_servers->servers().all()) {
        const ServerModels known = m_servers->modelsOf(server.id);
        if (!known.listing.problem.isEmpty())
            problems.append(tr("Server %1: %2").arg(server.title(), known.listing.problem));
    }
    return problems;
}

} // namespace fireside
