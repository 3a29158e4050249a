#pragma once
#include "app/models/model_description.h"
#include "app/models/model_source.h"

#include <QSet>
#include <QStringList>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

namespace fireside {

/// One search for models: first all sources are walked, then what is the same in several places
/// becomes one, then each model is described. Runs on
/// a pool thread and may outlive the library that started it, which it then no longer talks to.
class ModelScan : public ModelSink
{
public:
    struct Request
    {
        QString starter; // listed first; empty: none
        QString firesideFolder;
        QStringList addedFolders;
        QSet<QString> hidden; // canonical paths
        FitQuestion asked;
        std::shared_ptr<DescriptionCache> cache;
    };
    /// Called on the pool's thread.
    struct Events
    {
        std::function<void(const QList<ModelEntry> &)> entries;
        std::function<void(int done, int found, const QString &folder)> progress;
        std::function<void(const QString &folder, const QString &message)> problem;
        /// Not after a cancel. `folders`: all that were searched.
        std::function<void(const QStringList &folders)> finished;
    };
    ModelScan(Request request, Events events);

    void run();
    /// Of run(), which has thrown: the search is over, with what was found and told so far.
    void abort(const char *problem);
    /// From any thread: no event starts after it returns.
    void cancel();

    bool cancelled() const override { return m_cancelled.load(std::memory_order_relaxed); }
    void visiting(const QString &folder) override;
    void found(const FoundModel &model) override;
    void problem(const QString &folder, const QString &message) override;

private:
    template <typename Send>
    void tell(Send send);
    void walkSources();
    void joinCopies();
    void describeAll();
    static FileIdentity identity(const FoundModel &model);
    QByteArray endsOf(const FoundModel &model) const;
    QByteArray samplesOf(const FoundModel &model, const QByteArray &ends) const;
    bool isNew(const FoundModel &model);

    const Request m_request;
    const Events m_events;
    std::mutex m_talking;
    std::atomic<bool> m_cancelled = false;
    QList<FoundModel> m_found;
    QStringList m_folders;
    QSet<QString> m_paths;                              // canonical
    std::set<std::pair<quint64, quint64>> m_identities; // device and inode: hard links
};

} // namespace fireside
