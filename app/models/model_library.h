#pragma once
#include "app/models/model_copy.h"
#include "app/runtime/engine_types.h"

#include <QFuture>
#include <QList>
#include <QMetaType>
#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>

namespace fireside {

class DescriptionCache;
class LibraryFile;
class LibraryWatch;
class ModelScan;

/// One model on disk, described from the file itself.
struct ModelEntry
{
    QString path;   // first shard of a split model; a Hugging Face folder
    QString name;   // from the metadata, else the file name
    QString source; // "Fireside", "Hugging Face", "LM Studio", "Ollama", "Jan", "Added folder",
                    // "Starter (built in)"
    QString architecture, quantisation, quantisationHint,
        license; // hint: "good balance of size and quality"
    qint64 fileBytes = 0;
    qint64 parameters = 0;
    qint64 activeParameters = 0; // of one token; fewer in a mixture of experts
    int contextTrained = 0;
    QString problem;     // why it cannot be loaded; empty when it can
    QStringList remarks; // doubts about it though it can, a sentence each
    enum Fit { Fits, TooBig, Unknown };
    Fit fit = Unknown;
    QString fitText;      // "CPU: needs 1.2 GB, 16 GB of RAM is free"
    qint64 neededBytes{}; // of memory; 0: not known
    bool onCpu{};         // where it fits
    bool builtIn = false;
    QString elsewhere{}; // the address of a server that runs it; empty: this computer would
    QList<ModelCopy> copies;
    bool operator==(const ModelEntry &) const = default;
};

/// Finds and describes the models on this machine, reading them where they lie. The scan runs on Qt
/// Concurrent's pool; entries arrive while it runs. Unreadable folders become problems, never
/// errors. After it, what comes into the folders or leaves them is noticed.
class ModelLibrary : public QObject
{
    Q_OBJECT
public:
    explicit ModelLibrary(QObject *parent = nullptr);
    ~ModelLibrary() override; // cancels and waits

    const QList<ModelEntry> &entries() const { return m_entries; }
    bool scanning() const { return m_scanning; }
    QStringList addedFolders() const;
    int hiddenCount() const; // of models removed from the list
    /// What a model is called before its file was read: by its file, or as Ollama calls it.
    static QString displayName(const QString &path);
    /// Why deleteModel() refuses this one, as a clause; empty: it does not.
    static QString whyNotDeleted(const ModelEntry &entry);
    static QString starterModelPath(); // installed, or in the source tree; empty when missing
    static QString firesideFolder();   // $XDG_DATA_HOME/fireside/models

    /// Describes one file at once (for "Open file…"); problem is set when it is no usable model.
    static ModelEntry describe(const QString &path, const LoadSettings &asked,
                               const QList<DeviceStatus> &devices = {});

    /// What the next scan's "will it fit" is about: backend, context and cache type, and what there
    /// is to run on.
    void setPlanFor(const fireside::LoadSettings &settings);
    void setDevices(const QList<fireside::DeviceStatus> &devices);

public slots:
    void rescan();
    /// Searches once more: now, or when the search that runs is over.
    void lookAgain();
    void cancel();
    void addFolder(const QString &path);
    void removeFolder(const QString &path);
    void hideModel(const QString &path); // "remove from list"; the file stays
    void showHiddenModels();             // takes hideModel() back for all
    /// Moves nothing: deletes the file, all parts of a split one. Refuses the starter model.
    void deleteModel(const QString &path);

signals:
    void scanStarted();
    void entriesFound(const QList<fireside::ModelEntry> &entries); // some of those being searched
    void scanProgress(int filesDone, int filesFound, const QString &folder);
    void folderProblem(const QString &folder, const QString &message);
    void scanFinished(bool cancelled);
    void entriesChanged();
    void deleteFailed(const QString &path, const QString &message);

private:
    void stopScan();
    void finishScan(bool cancelled);
    void watch(QStringList folders);
    void forget(const QString &path);

    std::unique_ptr<LibraryFile> m_file;
    std::unique_ptr<LibraryWatch> m_watch; // from the first scan on
    std::shared_ptr<DescriptionCache> m_cache;
    std::shared_ptr<ModelScan> m_scan;
    QFuture<void> m_running;
    quint64 m_scanId = 0;
    LoadSettings m_planFor;
    QList<DeviceStatus> m_devices;
    QList<ModelEntry> m_entries;
    QList<ModelEntry> m_previous; // of the last scan, while a new one runs
    bool m_scanning = false, m_again = false;
};

} // namespace fireside

Q_DECLARE_METATYPE(fireside::ModelEntry)
