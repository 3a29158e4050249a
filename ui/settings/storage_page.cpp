#include "ui/settings/storage_page.h"

#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "app/settings/setting_values.h"
#include "ui/backend/meter_bar.h"
#include "ui/backend/number_text.h"
#include "ui/style/direction.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

namespace fireside {
namespace {

constexpr int kLookEveryMs = 1000;
constexpr qint64 kBytesPerGigabyte = 1'000'000'000;

} // namespace

StoragePage::StoragePage(AppSettings &settings, EngineService &engine, QWidget *parent)
    : QWidget(parent)
    , m_settings(settings)
    , m_engine(engine)
    , m_editors(QString(), this)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    addText("heading", {})->setText(tr("Computed chats"));
    const SettingEditor &limit = *m_editors.all().front();
    addText("muted", QStringLiteral("cacheHelp"))->setText(translated(limit.setting().help));

    auto *row = new QHBoxLayout;
    auto *label = new QLabel(translated(limit.setting().label), this);
    label->setBuddy(limit.control());
    limit.control()->setMinimumHeight(fontMetrics().height() + 14);
    row->addWidget(label);
    row->addWidget(limit.control());
    row->addStretch(1);
    layout->addLayout(row);

    m_text = addText("", QStringLiteral("cacheUsed"));
    m_used = new MeterBar(tr("Disk space of computed chats"), this);
    layout->addWidget(m_used);
    m_place = addText("muted", QStringLiteral("cacheFolder"));
    m_place->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    standAtStart(*m_place);
    m_problem = addText("warning", QStringLiteral("cacheProblem"));
    m_clear = new QPushButton(tr("&Clear"), this);
    m_clear->setObjectName(QStringLiteral("cacheClear"));
    m_clear->setAccessibleName(tr("Clear computed chats"));
    m_clear->setToolTip(tr("The chats stay; they are computed again when they go on."));
    m_clear->setAutoDefault(false);
    layout->addWidget(m_clear, 0, Qt::AlignLeft);
    layout->addStretch(1);

    connect(m_clear, &QPushButton::clicked, this, [this] {
        m_engine.clearCache();
        showUsage();
    });
    m_editors.show(settings.cache());
    m_editors.onEdited(this, [this] {
        if (m_editors.complete())
            m_settings.setCache(m_editors.shown());
    });
    connect(&settings, &AppSettings::cacheChanged, this, [this] {
        m_editors.show(m_settings.cache());
        showUsage();
    });
    m_timer.setInterval(kLookEveryMs);
    connect(&m_timer, &QTimer::timeout, this, &StoragePage::showUsage);
    showUsage();
}

QLabel *StoragePage::addText(const char *role, const QString &name)
{
    auto *label = new QLabel(this);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setProperty("role", role);
    label->setObjectName(name);
    layout()->addWidget(label);
    return label;
}

void StoragePage::showUsage()
{
    const CacheUsage usage = m_engine.cacheUsage();
    const qint64 limit = m_settings.cache().gigabytes * kBytesPerGigabyte;
    const QString text = inOrder(tr("%1 of %2 on the disk, %3 in memory; %4 tokens")
                                     .arg(bytesText(usage.diskBytes), bytesText(limit),
                                          bytesText(usage.memoryBytes), countText(usage.tokens)));
    m_text->setText(text);
    m_used->setAmounts(usage.diskBytes, limit);
    const int percent = limit > 0 ? static_cast<int>(100 * usage.diskBytes / limit) : 0;
    m_used->setTexts(QLocale().toString(percent) + QLatin1String(" %"), text);
    m_place->setText(QDir::toNativeSeparators(usage.folder));
    m_place->setVisible(!usage.folder.isEmpty());
    m_problem->setText(usage.problem);
    m_problem->setVisible(!usage.problem.isEmpty());
    m_clear->setEnabled(usage.tokens > 0);
}

void StoragePage::showEvent(QShowEvent *)
{
    showUsage();
    m_timer.start();
}

void StoragePage::hideEvent(QHideEvent *)
{
    m_timer.stop();
}

} // namespace fireside
