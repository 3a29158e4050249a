#pragma once
#include "app/models/model_library.h"
#include "app/runtime/engine_types.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTreeView;

namespace fireside {

class AppSettings;
class EngineService;
class LoadOptionsForm;
class ModelDetailsPane;
class ModelSortFilter;
class ModelListModel;

/// The models on this machine, read where they lie: find one, see whether it fits, load it.
class ModelPicker : public QDialog
{
    Q_OBJECT
public:
    ModelPicker(ModelLibrary &library, EngineService &engine, AppSettings &settings,
                QWidget *parent = nullptr);
    ~ModelPicker() override;

signals:
    /// The user chose; the dialog has closed itself.
    void loadRequested(const QString &path, const fireside::LoadSettings &settings);

protected:
    void showEvent(QShowEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QWidget *buildTopRow();
    QWidget *buildList();
    QWidget *buildButtons();
    void connectLibrary();

    void addEntry(const ModelEntry &entry);
    void syncEntries();
    void showScanState();
    void showSelection();
    void refitSelection(); // asks again what the chosen model needs at the chosen context
    void openFile();
    void addFolder();
    void removeFromList();
    void deleteFile();
    void loadSelected();
    const ModelEntry *selected() const;
    void select(const QString &path);
    void showProblem(const QString &text);

    ModelLibrary &m_library;
    EngineService &m_engine;
    AppSettings &m_settings;
    ModelListModel *m_models;
    ModelSortFilter *m_filter;
    QLineEdit *m_search;
    QTreeView *m_view;
    QStackedWidget *m_pages; // list, or the empty state
    QLabel *m_empty;
    ModelDetailsPane *m_details;
    LoadOptionsForm *m_options;
    QLabel *m_scanText;
    QProgressBar *m_scanBar;
    QPushButton *m_rescan; // Cancel while scanning
    QLabel *m_problems;
    QStringList m_problemTexts;
    QPushButton *m_remove;
    QPushButton *m_delete;
    QPushButton *m_load;
    QString m_describing; // path being read for "Open file…" or a new context
};

} // namespace fireside
