// The model picker's widgets, their order and names; what they do is in model_picker.cpp.
#include "ui/models/model_picker.h"

#include "app/hub/network.h"
#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "ui/models/downloads_view.h"
#include "ui/models/get_models.h"
#include "ui/models/model_details_pane.h"
#include "ui/models/model_list_model.h"
#include "ui/models/model_sort_filter.h"
#include "ui/settings/load_form.h"
#include "ui/settings/measure_row.h"
#include "ui/settings/placement_view.h"
#include "ui/style/direction.h"
#include "ui/style/icons.h"
#include "ui/style/text_fields.h"
#include "ui/style/theme.h"

#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {

namespace {

constexpr int kSideWidth = 320;

// Wide enough to read at the first look; the user can drag them.
void setColumnWidths(QTreeView *view)
{
    const int letter = view->fontMetrics().averageCharWidth();
    const std::pair<int, int> widths[] = {
        {ModelListModel::Name, 36},         {ModelListModel::Fit, 36},
        {ModelListModel::Size, 12},         {ModelListModel::Quantisation, 34},
        {ModelListModel::Parameters, 16},   {ModelListModel::Context, 14},
        {ModelListModel::Architecture, 17}, {ModelListModel::Source, 22},
        {ModelListModel::License, 18},
    };
    for (const auto &[column, letters] : widths)
        view->setColumnWidth(column,
                             std::max(letters * letter, view->header()->sectionSizeHint(column)));
}

} // namespace

ModelPicker::ModelPicker(ModelLibrary &library, EngineService &engine, AppSettings &settings,
                         Network &network, QWidget *parent)
    : QDialog(parent)
    , m_library(library)
    , m_engine(engine)
    , m_settings(settings)
    , m_network(network)
    , m_models(new ModelListModel(this))
    , m_filter(new ModelSortFilter(this))
{
    setWindowTitle(tr("Models"));
    setSizeGripEnabled(true);
    m_filter->setSourceModel(m_models);

    auto *splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setChildrenCollapsible(false);
    QWidget *top = buildTopRow();
    QWidget *scan = buildScanRow();
    auto *left = new QWidget(splitter);
    auto *column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(buildPages(), 1);
    column->addWidget(buildUnusable());
    splitter->addWidget(left);
    splitter->addWidget(buildSide());
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({720, kSideWidth});

    m_problems = new QLabel(this);
    m_problems->setObjectName(QStringLiteral("modelProblems"));
    m_problems->setProperty("role", "warning");
    m_problems->setTextFormat(Qt::PlainText);
    m_problems->setWordWrap(true);
    m_problems->setTextInteractionFlags(Qt::TextSelectableByMouse);
    standAtStart(*m_problems);
    m_problems->setAccessibleName(tr("Problems"));
    m_problems->setContentsMargins(10, 6, 10, 6);
    m_problems->hide();

    auto *local = new QWidget(this);
    auto *layout = new QVBoxLayout(local);
    layout->addWidget(top);
    layout->addWidget(scan);
    layout->addWidget(splitter, 1);
    layout->addWidget(m_problems);
    layout->addWidget(buildButtons());
    buildTabs(local);
    addListActions();
    connectLibrary();

    m_models->setEntries(library.entries(), true);
    connect(&settings, &AppSettings::loadChanged, this, &ModelPicker::showOptions);
    showOptions();
    showSelection();
    showScanState();
    // Also on a small screen at 200 %.
    resize(QSize(1080, 620).boundedTo(screen()->availableSize() * 0.9));
}

void ModelPicker::buildTabs(QWidget *local)
{
    m_tabs = new QTabWidget(this);
    m_tabs->setObjectName(QStringLiteral("modelTabs"));
    m_tabs->setAccessibleName(tr("Where models are"));
    m_tabs->setDocumentMode(true);
    m_get = new GetModels(m_network, m_engine, m_settings, this);
    m_downloads = new DownloadsView(m_network.downloads(), this);
    // In the order of Page.
    m_tabs->addTab(local, tr("My models"));
    m_tabs->addTab(m_get, tr("Get models"));
    m_tabs->addTab(m_downloads, tr("Downloads"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_tabs);
    connect(m_get, &GetModels::downloadsRequested, this, [this] { showPage(Page::Downloads); });
    connect(m_get, &GetModels::privacyRequested, this, &ModelPicker::privacyRequested);
    connect(m_downloads, &DownloadsView::closed, this, &QDialog::reject);
    connect(m_get, &GetModels::closed, this, &QDialog::reject);
    const auto load = [this](const QString &path) {
        accept();
        emit loadRequested(path, m_settings.loadOf(path));
    };
    connect(m_get, &GetModels::loadRequested, this, load);
    connect(m_downloads, &DownloadsView::loadRequested, this, load);
    const auto count = [this](int waiting) {
        m_tabs->setTabText(int(Page::Downloads),
                           waiting > 0 ? tr("Downloads (%1)").arg(waiting) : tr("Downloads"));
    };
    connect(m_downloads, &DownloadsView::countChanged, this, count);
    count(m_downloads->count());
    connect(m_tabs, &QTabWidget::currentChanged, this, [this](int page) {
        if (page == int(Page::Get))
            m_get->focusSearch();
    });
}

void ModelPicker::showPage(Page page)
{
    m_tabs->setCurrentIndex(static_cast<int>(page));
    if (page == Page::Get)
        m_get->focusSearch();
    else if (page == Page::Downloads)
        m_downloads->focusFirst();
}

QWidget *ModelPicker::buildTopRow()
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);

    auto *search = new LineField(row);
    search->addClearButton(tr("Clear the filter"));
    m_search = search;
    m_search->setObjectName(QStringLiteral("modelSearch"));
    m_search->setPlaceholderText(tr("Filter by name, architecture, quantisation or folder"));
    m_search->setAccessibleName(tr("Filter models"));
    search->addSearchIcon();
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_filter->setFilterText(text);
        showScanState();
        showSelection();
    });

    auto *open = new QPushButton(icon(IconName::File), tr("&Open file…"), row);
    open->setObjectName(QStringLiteral("modelOpen"));
    open->setAutoDefault(false);
    connect(open, &QPushButton::clicked, this, &ModelPicker::askForFile);

    auto *folders = new QPushButton(icon(IconName::Folder), tr("&Folders"), row);
    folders->setObjectName(QStringLiteral("modelFolders"));
    folders->setAutoDefault(false);
    m_folders = new QMenu(folders);
    folders->setMenu(m_folders);
    const QString side = isRightToLeft() ? QStringLiteral("left") : QStringLiteral("right");
    folders->setStyleSheet(
        QStringLiteral(
            "QPushButton { padding-%1: 26px; } QPushButton::menu-indicator { "
            "subcontrol-origin: padding; subcontrol-position: center right; right: 8px; }")
            .arg(side)); // the arrow is turned round by itself
    connect(m_folders, &QMenu::aboutToShow, this, &ModelPicker::fillFolderMenu);
    fillFolderMenu();

    m_rescan = new QPushButton(icon(IconName::Refresh), tr("&Rescan"), row);
    m_rescan->setObjectName(QStringLiteral("modelRescan"));
    m_rescan->setAutoDefault(false);
    connect(m_rescan, &QPushButton::clicked, this, [this] {
        if (m_library.scanning())
            m_library.cancel();
        else
            m_library.rescan();
    });

    m_serversButton = new QPushButton(icon(IconName::Plus), tr("Ser&vers…"), row);
    m_serversButton->setObjectName(QStringLiteral("modelServers"));
    m_serversButton->setToolTip(tr("Add a server elsewhere, whose models answer in this window"));
    m_serversButton->setAutoDefault(false);
    m_serversButton->hide();
    connect(m_serversButton, &QPushButton::clicked, this, [this] {
        reject();
        emit serversRequested();
    });

    layout->addWidget(m_search, 1);
    layout->addWidget(open);
    layout->addWidget(folders);
    layout->addWidget(m_serversButton);
    layout->addWidget(m_rescan);
    return row;
}

void ModelPicker::fillFolderMenu()
{
    m_folders->clear();
    m_folders->addAction(icon(IconName::Plus), tr("&Add folder…"), this,
                         &ModelPicker::askForFolder);
    if (const int hidden = m_library.hiddenCount(); hidden > 0)
        m_folders->addAction(tr("&Show removed models again (%1)").arg(hidden), this,
                             [this] { m_library.showHiddenModels(); });
    const QStringList added = m_library.addedFolders();
    if (added.isEmpty())
        return;
    m_folders->addSeparator();
    for (const QString &folder : added) {
        QString shown = QDir::toNativeSeparators(folder);
        shown.replace(QLatin1Char('&'), QStringLiteral("&&"));
        m_folders->addAction(tr("Remove %1 from the list").arg(shown), this,
                             [this, folder] { m_library.removeFolder(folder); });
    }
}

QWidget *ModelPicker::buildScanRow()
{
    m_scanRow = new QWidget(this);
    auto *layout = new QHBoxLayout(m_scanRow);
    layout->setContentsMargins(0, 0, 0, 0);
    m_scanText = new QLabel(m_scanRow);
    m_scanText->setTextFormat(Qt::PlainText);
    m_scanText->setForegroundRole(QPalette::PlaceholderText);
    m_scanText->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_scanBar = new QProgressBar(m_scanRow);
    m_scanBar->setObjectName(QStringLiteral("modelScan"));
    m_scanBar->setAccessibleName(tr("Scan progress"));
    m_scanBar->setTextVisible(false);
    m_scanBar->setFixedWidth(160);
    layout->addWidget(m_scanText, 1);
    layout->addWidget(m_scanBar);
    return m_scanRow;
}

QWidget *ModelPicker::buildPages()
{
    m_pages = new QStackedWidget(this);
    m_view = new QTreeView(m_pages);
    m_view->setObjectName(QStringLiteral("modelList"));
    m_view->setAccessibleName(tr("Models"));
    m_view->setModel(m_filter);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setTextElideMode(Qt::ElideRight);
    m_view->setTabKeyNavigation(false);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(ModelListModel::Name, Qt::AscendingOrder);
    m_view->header()->setStretchLastSection(true);
    m_view->header()->setSectionsMovable(true);
    m_view->setStyleSheet(QStringLiteral("QTreeView::item { padding: 4px 2px; border: none; }"));
    setColumnWidths(m_view);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (const ModelEntry *entry = selected(); entry && entry->path != m_optionsOf)
            showOptions();
        showSelection();
        refitIfOther();
    });
    // Enter reaches the default button by itself; only the mouse needs this.
    connect(m_view, &QTreeView::doubleClicked, this, &ModelPicker::loadSelected);
    m_pages->addWidget(m_view);

    auto *emptyPage = new QWidget(m_pages);
    auto *layout = new QVBoxLayout(emptyPage);
    layout->setContentsMargins(40, 20, 40, 20);
    m_empty = new QLabel(emptyPage);
    m_empty->setObjectName(QStringLiteral("modelEmpty"));
    m_empty->setTextFormat(Qt::RichText);
    m_empty->setWordWrap(true);
    layout->addStretch(1);
    layout->addWidget(m_empty);
    layout->addStretch(2);
    m_pages->addWidget(emptyPage);
    return m_pages;
}

QWidget *ModelPicker::buildUnusable()
{
    m_unusable = new QToolButton(this);
    m_unusable->setObjectName(QStringLiteral("modelUnusable"));
    m_unusable->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_unusable->setCheckable(true);
    m_unusable->setFocusPolicy(Qt::StrongFocus);
    m_unusable->setIcon(icon(IconName::ChevronRight));
    connect(m_unusable, &QToolButton::toggled, this, [this](bool shown) {
        m_unusable->setIcon(icon(shown ? IconName::ChevronDown : IconName::ChevronRight));
        m_filter->setUnusableShown(shown);
        showScanState();
        showSelection();
    });
    return m_unusable;
}

QWidget *ModelPicker::buildSide()
{
    auto *side = new QWidget(this);
    m_side = side;
    side->setMinimumWidth(260);
    auto *layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    m_details = new ModelDetailsPane(side);
    layout->addWidget(m_details, 1);

    m_expander = new QToolButton(side);
    m_expander->setObjectName(QStringLiteral("loadExpander"));
    m_expander->setText(tr("Load with &settings"));
    m_expander->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_expander->setIcon(icon(IconName::ChevronRight));
    m_expander->setAutoRaise(true);
    m_expander->setCheckable(true);
    m_expander->setFocusPolicy(Qt::StrongFocus);
    QWidget *options = m_loadOptions = buildOptions();
    options->hide();
    connect(m_expander, &QToolButton::toggled, this, [this, options](bool open) {
        m_expander->setIcon(icon(open ? IconName::ChevronDown : IconName::ChevronRight));
        options->setVisible(open);
    });
    layout->addWidget(m_expander);
    layout->addWidget(options, 2);
    return side;
}

QWidget *ModelPicker::buildOptions()
{
    auto *scroll = new QScrollArea(m_side);
    scroll->setObjectName(QStringLiteral("loadOptions"));
    scroll->setAccessibleName(tr("Settings to load the model with"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    auto *content = new QWidget(scroll);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(12, 0, 8, 0);
    m_options = new LoadForm(content);
    m_fit = new PlacementView(m_engine, content);
    m_measure = new MeasureRow(m_engine, content);
    for (QWidget *widget : {static_cast<QWidget *>(m_options), static_cast<QWidget *>(m_fit),
                            static_cast<QWidget *>(m_measure)})
        layout->addWidget(widget);
    layout->addStretch(1);
    scroll->setWidget(content);
    m_options->setDevices(m_engine.devices());
    connect(&m_engine, &EngineService::devicesChanged, m_options, &LoadForm::setDevices);
    connect(m_options, &LoadForm::changed, this, [this] {
        m_refit.start();
        showFit();
    });
    return scroll;
}

QWidget *ModelPicker::buildButtons()
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    const auto add = [&](const QString &text, const char *name) {
        auto *button = new QPushButton(text, row);
        button->setObjectName(QLatin1String(name));
        button->setAutoDefault(false);
        layout->addWidget(button);
        return button;
    };
    m_remove = add(tr("Re&move from list"), "modelRemove");
    m_remove->setToolTip(tr("The file stays where it is"));
    m_delete = add(tr("&Delete file…"), "modelDelete");
    m_delete->setProperty("role", "danger");
    layout->addStretch(1);
    QPushButton *close = add(tr("Close"), "modelClose");
    m_load = add(tr("&Load"), "modelLoad");
    m_load->setProperty("role", "primary");
    m_load->setDefault(true);
    connect(m_remove, &QPushButton::clicked, this, &ModelPicker::removeFromList);
    connect(m_delete, &QPushButton::clicked, this, &ModelPicker::deleteFile);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_load, &QPushButton::clicked, this, &ModelPicker::loadSelected);
    return row;
}

void ModelPicker::addListActions()
{
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
    const auto add = [this](const QString &text, const QKeySequence &keys, auto slot) {
        auto *action = new QAction(text, m_view);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, slot);
        m_view->addAction(action);
    };
    add(tr("Load"), {}, &ModelPicker::loadSelected);
    add(tr("Copy path"), QKeySequence::Copy, [this] {
        if (const ModelEntry *entry = selected())
            QGuiApplication::clipboard()->setText(QDir::toNativeSeparators(entry->path));
    });
    add(tr("Remove from list"), QKeySequence::Delete, &ModelPicker::removeFromList);
    add(tr("Delete file…"), QKeySequence(Qt::SHIFT | Qt::Key_Delete), &ModelPicker::deleteFile);

    // Sorting without a mouse.
    auto *sort = new QAction(tr("Sort by"), m_view);
    auto *menu = new QMenu(m_view);
    for (int column = 0; column < ModelListModel::ColumnCount; ++column) {
        menu->addAction(m_models->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                        this, [this, column] { m_view->sortByColumn(column, Qt::AscendingOrder); });
    }
    sort->setMenu(menu);
    m_view->addAction(sort);

    auto *rescan = new QAction(this);
    rescan->setShortcut(QKeySequence::Refresh);
    connect(rescan, &QAction::triggered, m_rescan, &QPushButton::click);
    addAction(rescan);
    auto *find = new QAction(this);
    find->setShortcut(QKeySequence::Find);
    connect(find, &QAction::triggered, m_search, qOverload<>(&QWidget::setFocus));
    addAction(find);
}

} // namespace fireside
