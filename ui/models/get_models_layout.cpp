// The widgets of "Get models", their order and names; what they do is in get_models.cpp.
#include "ui/models/get_models.h"

#include "app/hub/network.h"
#include "ui/models/offer_model.h"
#include "ui/models/repository_model.h"
#include "ui/style/direction.h"
#include "ui/style/icons.h"
#include "ui/style/text_fields.h"
#include "ui/style/theme.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {
namespace {

constexpr int kRestMs = 400; // of the choice, before the server is asked

QLabel *addSelectable(QVBoxLayout *layout, const char *role, const char *name)
{
    auto *label = new QLabel;
    label->setObjectName(QLatin1String(name));
    label->setTextFormat(Qt::PlainText); // words of a server
    label->setWordWrap(true);
    label->setProperty("role", role);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    standAtStart(*label);
    layout->addWidget(label);
    return label;
}

QTreeView *makeTable(QAbstractItemModel *model, const char *name, const QString &called,
                     std::initializer_list<int> letters, QWidget *parent)
{
    auto *view = new QTreeView(parent);
    view->setObjectName(QLatin1String(name));
    view->setAccessibleName(called);
    view->setModel(model);
    view->setRootIsDecorated(false);
    view->setUniformRowHeights(true);
    view->setAllColumnsShowFocus(true);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setTabKeyNavigation(false);
    view->header()->setStretchLastSection(true);
    view->setStyleSheet(QStringLiteral("QTreeView::item { padding: 4px 2px; border: none; }"));
    const int letter = view->fontMetrics().averageCharWidth();
    int column = 0;
    for (const int width : letters) {
        const int title = view->header()->sectionSizeHint(column);
        view->setColumnWidth(column++, std::max(width * letter, title));
    }
    return view;
}

} // namespace

GetModels::GetModels(Network &network, EngineService &engine, AppSettings &settings,
                     QWidget *parent)
    : QWidget(parent)
    , m_network(network)
    , m_engine(engine)
    , m_settings(settings)
    , m_search(network.gate(), network.access().address, network.access().token)
    , m_list(network.gate(), network.access().address, network.access().token)
    , m_header(network.gate())
    , m_repositories(new RepositoryModel(this))
    , m_offers(new OfferModel(this))
{
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(buildSearch());
    layout->addWidget(buildLists(), 1);
    layout->addWidget(buildButtons());
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &GetModels::readHeader);
    connectHub();
    say(tr("Write what you look for and press Enter, or paste the address of a repository or of a "
           ".gguf file. Nothing is asked before."));
    showChosen();
}

GetModels::~GetModels() = default;

QWidget *GetModels::buildSearch()
{
    auto *box = new QWidget(this);
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    auto *row = new QHBoxLayout;
    auto *words = new LineField(box);
    words->addClearButton(tr("Clear the search"));
    m_words = words;
    m_words->setObjectName(QStringLiteral("hubSearch"));
    m_words->setPlaceholderText(tr("Search Hugging Face, or paste an address"));
    m_words->setAccessibleName(tr("Search for models"));
    words->addSearchIcon();
    m_words->installEventFilter(this);
    m_anyFormat = new QCheckBox(tr("&Not only GGUF"), box);
    m_anyFormat->setObjectName(QStringLiteral("hubAnyFormat"));
    m_anyFormat->setToolTip(tr("Also models in the safetensors format, which are larger"));
    m_find = new QPushButton(tr("&Search"), box);
    m_find->setObjectName(QStringLiteral("hubFind"));
    m_find->setAutoDefault(false);
    row->addWidget(m_words, 1);
    row->addWidget(m_anyFormat);
    row->addWidget(m_find);
    column->addLayout(row);
    auto *stateRow = new QHBoxLayout;
    m_state = new QLabel(box);
    m_state->setObjectName(QStringLiteral("hubState"));
    m_state->setTextFormat(Qt::PlainText);
    m_state->setWordWrap(true);
    m_state->setProperty("role", "muted");
    m_busy = new QProgressBar(box);
    m_busy->setAccessibleName(tr("The server is being asked"));
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setFixedWidth(120);
    stateRow->addWidget(m_state, 1);
    stateRow->addWidget(m_busy);
    column->addLayout(stateRow);
    connect(m_words, &QLineEdit::returnPressed, this, &GetModels::ask);
    connect(m_find, &QPushButton::clicked, this, &GetModels::ask);
    return box;
}

QWidget *GetModels::buildLists()
{
    auto *splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setChildrenCollapsible(false);
    m_found = makeTable(m_repositories, "hubFound", tr("Repositories that were found"),
                        {34, 13, 8, 13, 19, 12}, splitter);
    splitter->addWidget(m_found);
    auto *right = new QSplitter(Qt::Vertical, splitter);
    right->setChildrenCollapsible(false);
    m_models =
        makeTable(m_offers, "hubModels", tr("Models of the repository"), {30, 34, 11}, right);
    right->addWidget(m_models);
    right->addWidget(buildChosen());
    right->setStretchFactor(0, 1);
    right->setSizes({240, 200});
    splitter->addWidget(right);
    splitter->setSizes({500, 560});
    connect(m_found->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &now) {
                if (now.isValid())
                    listRepository(m_repositories->at(now.row()).id);
            });
    connect(m_found, &QTreeView::activated, this, [this] { m_models->setFocus(); });
    connect(m_models->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        m_headerProblem.clear();
        m_header.cancel();
        m_headerRow = -1;
        m_projector->setChecked(false);
        showChosen();
        m_rest.start();
    });
    connect(m_models, &QTreeView::activated, this, &GetModels::download);
    return splitter;
}

QWidget *GetModels::buildChosen()
{
    auto *scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("hubChosen"));
    scroll->setAccessibleName(tr("The chosen model"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(4, 4, 4, 0);
    column->setSpacing(4);
    m_about = addSelectable(column, "muted", "hubAbout");
    m_name = addSelectable(column, "heading", "hubName");
    m_fit = addSelectable(column, "", "hubFit");
    m_facts = addSelectable(column, "muted", "hubFacts");
    m_projector = new QCheckBox(content);
    m_projector->setObjectName(QStringLiteral("hubProjector"));
    column->addWidget(m_projector);
    m_place = addSelectable(column, "muted", "hubPlace");
    m_problem = addSelectable(column, "warning", "hubProblemText");
    column->addStretch(1);
    scroll->setWidget(content);
    connect(m_projector, &QCheckBox::toggled, this, &GetModels::showActions);
    return scroll;
}

QWidget *GetModels::buildButtons()
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
    m_page = add(tr("Show its &page…"), "hubPage");
    m_token = add(tr("Access &token…"), "hubTokenButton");
    layout->addStretch(1);
    QPushButton *close = add(tr("Close"), "hubClose");
    m_download = add(tr("&Download"), "hubDownload");
    m_download->setProperty("role", "primary");
    connect(m_token, &QPushButton::clicked, this, &GetModels::privacyRequested);
    connect(close, &QPushButton::clicked, this, &GetModels::closed);
    connect(m_download, &QPushButton::clicked, this, &GetModels::download);
    return row;
}

} // namespace fireside
