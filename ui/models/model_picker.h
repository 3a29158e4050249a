#pragma once
#include "app/models/model_library.h"
#include "app/runtime/engine_types.h"

#include <QDialog>
#include <QFuture>
#include <QTimer>

class QLabel;
class QLineEdit;
class QMenu;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;
class QTabWidget;
class QTreeView;

namespace fireside {

class AppSettings;
class DownloadsView;
class EngineService;
class GetModels;
class LoadForm;
class ModelDetailsPane;
class MeasureRow;
class ModelListModel;
class ModelSortFilter;
class Network;
class RemoteModels;
class PlacementView;

/// The models on this machine, read where they lie: find one, see whether it fits, load it.
class ModelPicker : public QDialog
{
    Q_OBJECT
public:
    enum class Page { Local, Get, Downloads };

    ModelPicker(ModelLibrary &library, EngineService &engine, AppSettings &settings,
                Network &network, QWidget *parent = nullptr);
    ~ModelPicker() override;

    /// Reads a file off this thread; loads it when it is usable and fits, else shows why not.
    void openFile(const QString &path);
    void showPage(Page page);
    /// Models of servers elsewhere are in the list, too.
    void setServers(RemoteModels &servers);

signals:
    void serversRequested(); // to add or change them; the dialog has closed itself
    /// The user chose; the dialog has closed itself.
    void loadRequested(const QString &path, const fireside::LoadSettings &settings);
    void privacyRequested(); // its page of the settings

protected:
    void showEvent(QShowEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void buildTabs(QWidget *local);
    QWidget *buildTopRow();
    QWidget *buildScanRow();
    QWidget *buildPages();
    QWidget *buildUnusable();
    QWidget *buildSide();
    QWidget *buildOptions();
    QWidget *buildButtons();
    void addListActions();
    void connectLibrary();

    void fitNameColumn();
    void syncEntries();
    QList<ModelEntry> serverEntries() const;
    QStringList serverProblems() const;
    void showScanState();
    void showEmptyText();
    void fillFolderMenu();
    void showSelection();
    void showOptions(); // what the chosen model was last loaded with
    void showFit();
    void refitIfOther();
    QFuture<ModelEntry> describeLater(const QString &path);
    void refitSelection(); // asks again what the chosen model needs at the chosen context
    void askForFile();
    void askForFolder();
    void removeFromList();
    void deleteFile();
    void loadSelected();
    bool confirm(const QString &question, const QString &detail, const QString &yes);
    const ModelEntry *selected() const; // nullptr: none
    void select(const QString &path);
    void addProblem(const QString &text);
    void showProblems();

    ModelLibrary &m_library;
    EngineService &m_engine;
    AppSettings &m_settings;
    Network &m_network;
    RemoteModels *m_servers = nullptr;
    ModelListModel *m_models;
    ModelSortFilter *m_filter;
    QList<ModelEntry> m_opened; // by "Open file…", not in the library's folders

    QString m_optionsOf; // the model whose settings are shown

    QLineEdit *m_search;
    QMenu *m_folders;
    QPushButton *m_serversButton;
    QPushButton *m_rescan; // "Cancel" while scanning
    QWidget *m_scanRow;
    QLabel *m_scanText;
    QProgressBar *m_scanBar;
    QTabWidget *m_tabs;
    GetModels *m_get;
    DownloadsView *m_downloads;
    QStackedWidget *m_pages; // the list, or the empty state
    QTreeView *m_view;
    QToolButton *m_unusable; // shows those that cannot be used
    QLabel *m_empty;
    QWidget *m_side;
    ModelDetailsPane *m_details;
    QToolButton *m_expander;
    QWidget *m_loadOptions;
    LoadForm *m_options;
    PlacementView *m_fit;
    MeasureRow *m_measure;
    QLabel *m_problems;
    QStringList m_problemTexts;
    QPushButton *m_remove;
    QPushButton *m_delete;
    QPushButton *m_load;
    QTimer m_stateRest;         // while many models come at once
    QTimer m_refit;             // waits until the fields rest
    quint64 m_readsStarted = 0; // only the newest answer counts
    QString m_wanted;           // selected again when its row comes back
};

} // namespace fireside
