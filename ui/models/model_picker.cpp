#include "ui/models/model_picker.h"

#include "app/remote/remote_models.h"
#include "app/runtime/contained.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/engine_text.h"
#include "app/settings/app_settings.h"
#include "ui/backend/number_text.h"
#include "ui/models/model_details_pane.h"
#include "ui/models/model_list_model.h"
#include "ui/models/model_sort_filter.h"
#include "ui/settings/load_form.h"
#include "ui/settings/measure_row.h"
#include "ui/settings/placement_view.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFuture>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace fireside {

namespace {

constexpr int kRefitDelay = 250; // ms after the last change of the context

} // namespace

// The widgets are built in model_picker_layout.cpp; this file is what they do.

ModelPicker::~ModelPicker() = default;

void ModelPicker::connectLibrary()
{
    connect(&m_library, &ModelLibrary::scanStarted, this, [this] {
        m_problemTexts.clear();
        showProblems();
        showScanState();
    });
    connect(&m_library, &ModelLibrary::entriesFound, this,
            [this](const QList<ModelEntry> &entries) {
                m_models->setEntries(entries, false);
                if (!selected() && m_models->rowOf(m_wanted) >= 0)
                    select(m_wanted);
                if (!m_stateRest.isActive())
                    m_stateRest.start();
            });
    connect(&m_library, &ModelLibrary::scanProgress, this,
            [this](int done, int found, const QString &folder) {
                m_scanBar->setRange(0, found); // 0 found: a busy bar
                m_scanBar->setValue(done);
                m_scanText->setText(
                    tr("Looking in %1 – %2 of %3 files read")
                        .arg(QDir::toNativeSeparators(folder), countText(done), countText(found)));
            });
    connect(&m_library, &ModelLibrary::folderProblem, this,
            [this](const QString &folder, const QString &message) {
                addProblem(tr("%1: %2").arg(QDir::toNativeSeparators(folder), message));
            });
    connect(&m_library, &ModelLibrary::scanFinished, this, [this](bool cancelled) {
        if (!cancelled)
            syncEntries();
        showScanState();
        // A default choice, so that Enter is enough.
        if (!selected() && m_filter->rowCount() > 0 && !m_search->hasFocus())
            select(m_filter->index(0, 0).data(ModelListModel::PathRole).toString());
        refitIfOther();
    });
    connect(&m_library, &ModelLibrary::entriesChanged, this, &ModelPicker::syncEntries);
    connect(&m_library, &ModelLibrary::deleteFailed, this,
            [this](const QString &path, const QString &message) {
                addProblem(
                    tr("Could not delete %1: %2").arg(QDir::toNativeSeparators(path), message));
            });

    connect(&m_engine, &EngineService::loaded, this,
            [this](const ModelStatus &model) { m_models->setLoadedPath(model.path); });
    connect(&m_engine, &EngineService::reasonChanged, this,
            [this](const ModelStatus &model) { m_models->setLoadedPath(model.path); });
    connect(&m_engine, &EngineService::loadFailed, this, [this] { m_models->setLoadedPath({}); });

    constexpr int kStateEveryMs = 50;
    m_stateRest.setSingleShot(true);
    m_stateRest.setInterval(kStateEveryMs);
    connect(&m_stateRest, &QTimer::timeout, this, &ModelPicker::showScanState);
    m_refit.setSingleShot(true);
    m_refit.setInterval(kRefitDelay);
    connect(&m_refit, &QTimer::timeout, this, &ModelPicker::refitSelection);
}

void ModelPicker::showEvent(QShowEvent *event)
{
    QDialog::showEvent(event);
    fitNameColumn();
    m_search->setFocus();
    m_wanted = m_engine.hasModel() ? m_engine.model().path : m_settings.lastModel();
    if (m_wanted.isEmpty())
        m_wanted = ModelLibrary::starterModelPath();
    m_models->setLoadedPath(m_engine.hasModel() ? m_engine.model().path : QString());
    syncEntries();
    if (!selected())
        select(m_wanted);
    m_library.setDevices(m_engine.devices());
    if (m_servers)
        m_servers->refresh();
    m_library.setPlanFor(m_settings.load()); // what "will it fit" is asked for
    if (!m_library.scanning())
        m_library.rescan();
    showScanState();
}

/// On a small screen names give way, so that each verdict can be read.
void ModelPicker::fitNameColumn()
{
    constexpr int kMinLetters = 20;
    const int room = m_view->viewport()->width() - m_view->columnWidth(ModelListModel::Fit);
    const int least = kMinLetters * m_view->fontMetrics().averageCharWidth();
    if (room < m_view->columnWidth(ModelListModel::Name))
        m_view->setColumnWidth(ModelListModel::Name, std::max(room, least));
}

bool ModelPicker::eventFilter(QObject *watched, QEvent *event)
{
    // From the search field straight into the list and back.
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up || key == Qt::Key_PageDown ||
            key == Qt::Key_PageUp) {
            m_view->setFocus(Qt::TabFocusReason);
            if (!m_view->currentIndex().isValid() && m_filter->rowCount() > 0)
                m_view->setCurrentIndex(m_filter->index(0, 0));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void ModelPicker::syncEntries()
{
    QList<ModelEntry> entries = m_library.entries();
    for (const ModelEntry &opened : std::as_const(m_opened)) {
        const bool known =
            std::any_of(entries.begin(), entries.end(),
                        [&](const ModelEntry &entry) { return entry.path == opened.path; });
        if (!known)
            entries.append(opened);
    }
    entries += serverEntries();
    // While a scan runs its list is still short: what is missing may yet come.
    m_models->setEntries(entries, !m_library.scanning());
    showScanState();
    showSelection();
}

void ModelPicker::showScanState()
{
    const bool scanning = m_library.scanning();
    m_scanRow->setVisible(scanning);
    if (!scanning) {
        m_scanBar->setRange(0, 0);
        m_scanText->setText(tr("Looking for models…"));
    }
    m_rescan->setText(scanning ? tr("&Cancel scan") : tr("&Rescan"));
    const int unusable = m_models->unusableCount();
    m_unusable->setText(tr("Cannot be used (%1)").arg(unusable));
    m_unusable->setVisible(unusable > 0 && m_search->text().isEmpty());
    const bool nothing = m_filter->rowCount() == 0;
    m_pages->setCurrentIndex(nothing ? 1 : 0);
    m_side->setVisible(!nothing);
    if (nothing)
        showEmptyText();
}

void ModelPicker::showEmptyText()
{
    if (m_search->text().isEmpty() && m_models->rowCount() > 0) {
        m_empty->setText(tr("<h3>None of these models can be used</h3><p>Below they are shown with "
                            "what is in their way.</p>"));
        return;
    }
    if (m_models->rowCount() > 0) {
        m_empty->setText(
            tr("<h3>No model matches “%1”</h3><p>Clear the search field to see every model.</p>")
                .arg(m_search->text().toHtmlEscaped()));
        return;
    }
    if (m_library.scanning()) {
        m_empty->setText(
            tr("<h3>Looking for models…</h3><p>They appear here as they are found.</p>"));
        return;
    }
    QStringList places{ModelLibrary::firesideFolder()};
    places += m_library.addedFolders();
    QString list;
    for (const QString &place : std::as_const(places))
        list += QStringLiteral("<li>%1</li>").arg(QDir::toNativeSeparators(place).toHtmlEscaped());
    m_empty->setText(tr("<h3>No models found</h3><p>Fireside looked in the folders of Hugging "
                        "Face, LM Studio, Ollama and "
                        "Jan, and in:</p><ul>%1</ul><p>Put a GGUF file into one of them, open a "
                        "file from anywhere, or add "
                        "the folder that holds your models. Models are read where they lie; "
                        "nothing is copied.</p>")
                         .arg(list));
}

const ModelEntry *ModelPicker::selected() const
{
    const QModelIndexList rows = m_view->selectionModel()->selectedRows();
    if (rows.isEmpty())
        return nullptr;
    return &m_models->entryAt(m_filter->mapToSource(rows.first()).row());
}

void ModelPicker::select(const QString &path)
{
    const int row = m_models->rowOf(path);
    if (row < 0)
        return;
    const QModelIndex index = m_filter->mapFromSource(m_models->index(row, 0));
    if (!index.isValid())
        return;
    m_view->setCurrentIndex(index);
    m_view->scrollTo(index);
}

void ModelPicker::showSelection()
{
    const ModelEntry *entry = selected();
    m_details->showEntry(entry);
    const bool usable = entry && entry->problem.isEmpty();
    m_load->setEnabled(usable);
    m_load->setToolTip(entry && !usable ? fitSentence(*entry) : QString());
    const bool elsewhere = entry && !entry->elsewhere.isEmpty();
    m_expander->setVisible(!elsewhere);
    m_loadOptions->setVisible(!elsewhere && m_expander->isChecked());
    m_load->setText(elsewhere                                    ? tr("&Use")
                    : usable && entry->fit == ModelEntry::TooBig ? tr("&Load anyway…")
                    : usable && m_models->isLoaded(*entry)       ? tr("Re&load")
                                                                 : tr("&Load"));
    m_remove->setEnabled(entry && !entry->builtIn && !elsewhere);
    const QString refusal = entry ? ModelLibrary::whyNotDeleted(*entry) : QString();
    m_delete->setEnabled(entry && refusal.isEmpty());
    m_delete->setToolTip(asSentence(refusal));
}

void ModelPicker::showOptions()
{
    const ModelEntry *entry = selected();
    m_optionsOf = entry ? entry->path : QString();
    m_options->setDefaults(m_settings.load(), tr("&Use those of every model"));
    m_options->setSettings(entry ? m_settings.loadOf(entry->path) : m_settings.load());
    showFit();
}

void ModelPicker::showFit()
{
    const ModelEntry *entry = selected();
    const bool here = entry && entry->problem.isEmpty() && entry->elsewhere.isEmpty();
    const QString path = here ? entry->path : QString();
    m_fit->ask(path, m_options->settings());
    m_measure->setModel(path, m_options->settings());
}

/// The list's verdicts are for the settings of every model.
void ModelPicker::refitIfOther()
{
    if (selected() && m_options->settings() != m_settings.load())
        m_refit.start();
}

QFuture<ModelEntry> ModelPicker::describeLater(const QString &path)
{
    return inBackground(
        "picker.describe",
        [path, asked = m_options->settings(), devices = m_engine.devices()] {
            return ModelLibrary::describe(path, asked, devices);
        },
        [path](const QString &problem) {
            ModelEntry entry;
            entry.path = path;
            entry.problem = problem;
            return entry;
        });
}

void ModelPicker::refitSelection()
{
    const ModelEntry *entry = selected();
    if (!entry || !entry->problem.isEmpty() || !entry->elsewhere.isEmpty())
        return;
    const quint64 read = ++m_readsStarted;
    m_details->setBusy(true);
    describeLater(entry->path).then(this, [this, read, known = *entry](const ModelEntry &fresh) {
        if (read != m_readsStarted)
            return;
        // Only the verdict depends on the context; where the model was found does not.
        ModelEntry updated = known;
        updated.fit = fresh.fit;
        updated.fitText = fresh.fitText;
        updated.neededBytes = fresh.neededBytes;
        updated.onCpu = fresh.onCpu;
        updated.problem = fresh.problem;
        updated.remarks = fresh.remarks;
        m_models->addOrUpdate({updated});
        m_details->setBusy(false);
        showSelection();
    });
}

void ModelPicker::askForFile()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a model file"), QDir::homePath(),
        tr("Models (*.gguf config.json *.safetensors);;All files (*)"));
    if (!path.isEmpty())
        openFile(path);
}

void ModelPicker::openFile(const QString &path)
{
    const quint64 read = ++m_readsStarted;
    m_scanText->setText(tr("Reading %1…").arg(QFileInfo(path).fileName()));
    m_scanBar->setRange(0, 0);
    m_scanRow->show();
    describeLater(path).then(this, [this, read](ModelEntry entry) {
        if (entry.source.isEmpty())
            entry.source = tr("Opened file");
        const int known = m_models->rowOf(entry.path);
        if (known < 0)
            m_opened.append(entry);
        if (known < 0 || m_models->entryAt(known).path == entry.path) // else it is a copy
            m_models->addOrUpdate({entry});
        m_search->clear(); // the file must be seen
        if (!entry.problem.isEmpty())
            m_unusable->setChecked(true);
        showScanState();
        if (read != m_readsStarted)
            return;
        select(entry.path);
        showSelection();
        if (!entry.problem.isEmpty())
            addProblem(tr("%1 cannot be used: %2")
                           .arg(QFileInfo(entry.path).fileName(), engineText(entry.problem)));
        else if (entry.fit != ModelEntry::TooBig)
            loadSelected();
        else
            m_load->setFocus();
    });
}

void ModelPicker::askForFolder()
{
    const QString path =
        QFileDialog::getExistingDirectory(this, tr("Add a folder with models"), QDir::homePath());
    if (!path.isEmpty())
        m_library.addFolder(path);
}

void ModelPicker::removeFromList()
{
    const ModelEntry *entry = selected();
    if (!entry || entry->builtIn || !entry->elsewhere.isEmpty())
        return;
    const QString path = entry->path;
    m_opened.removeIf([&](const ModelEntry &opened) { return opened.path == path; });
    m_library.hideModel(path);
    syncEntries();
}

void ModelPicker::deleteFile()
{
    const ModelEntry *entry = selected();
    if (!entry || !ModelLibrary::whyNotDeleted(*entry).isEmpty())
        return;
    const QString path = entry->path;
    const QString detail =
        tr("%1\n%2\n\nThis cannot be undone. Other programs that use this file lose it too.")
            .arg(QDir::toNativeSeparators(path), bytesText(entry->fileBytes));
    if (!confirm(tr("Delete the file of “%1” from this computer?").arg(entry->name), detail,
                 tr("Delete file")))
        return;
    m_opened.removeIf([&](const ModelEntry &opened) { return opened.path == path; });
    m_library.deleteModel(path);
}

bool ModelPicker::confirm(const QString &question, const QString &detail, const QString &yes)
{
    QMessageBox box(QMessageBox::Warning, windowTitle(), question, QMessageBox::Cancel, this);
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(detail);
    QPushButton *accept = box.addButton(yes, QMessageBox::DestructiveRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == accept;
}

void ModelPicker::loadSelected()
{
    const ModelEntry *entry = selected();
    if (!entry || !entry->problem.isEmpty())
        return;
    const QString path = entry->path;
    if (entry->fit == ModelEntry::TooBig &&
        !confirm(
            tr("“%1” needs more memory than there is.").arg(entry->name),
            tr("%1\n\nLoading it will probably fail, and the model loaded now is unloaded first.")
                .arg(engineText(entry->fitText)),
            tr("Load anyway")))
        return;
    const LoadSettings settings = m_options->settings();
    if (entry->elsewhere.isEmpty())
        m_settings.setLoadOf(path, settings);
    accept();
    emit loadRequested(path, settings);
}

void ModelPicker::addProblem(const QString &text)
{
    if (!m_problemTexts.contains(text))
        m_problemTexts.append(text);
    showProblems();
}

void ModelPicker::showProblems()
{
    constexpr int kShown = 3;
    const QStringList all = m_problemTexts + serverProblems();
    QStringList shown = all.mid(std::max<qsizetype>(0, all.size() - kShown));
    if (all.size() > kShown)
        shown.append(tr("… and %n more", nullptr, static_cast<int>(all.size()) - kShown));
    m_problems->setText(shown.join(QLatin1Char('\n')));
    m_problems->setToolTip(all.join(QLatin1Char('\n')));
    m_problems->setVisible(!shown.isEmpty());
}

} // namespace fireside
