#include "ui/settings/device_list.h"

#include "ui/style/icons.h"
#include "ui/style/page_wheel.h"

#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QLocale>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {
namespace {

constexpr int kMostLines = 5;      // of the list, then it scrolls
constexpr int kItemPadding = 10;   // of an item, above and below together
constexpr double kNoLimit = -0.01; // the spin box' lowest number stands for it
constexpr int kBoundPadding = 14;

QString gigabytesText(double gigabytes)
{
    return DeviceList::tr("%1 GB").arg(QLocale().toString(gigabytes, 'g', 6));
}

/// "Card, at most 8 GB, 0.5 GB stay free"
QString describe(const DeviceRow &row)
{
    QString text = row.name;
    if (!row.present)
        text = DeviceList::tr("%1 (not found)").arg(text);
    if (row.used && row.choice.limit)
        text = DeviceList::tr("%1, at most %2").arg(text, gigabytesText(*row.choice.limit));
    if (row.used && row.choice.reserve > 0)
        text = DeviceList::tr("%1, %2 stay free").arg(text, gigabytesText(row.choice.reserve));
    return text;
}

QDoubleSpinBox *gigabytesBox(const char *name, double lowest, QWidget *parent)
{
    auto *box = new QDoubleSpinBox(parent);
    PageWheel::leaveToPage(box);
    box->setObjectName(QLatin1String(name));
    box->setRange(lowest, DeviceChoice::kMost);
    box->setDecimals(2);
    box->setSuffix(DeviceList::tr(" GB"));
    box->setKeyboardTracking(false);
    box->setMinimumHeight(box->fontMetrics().height() + kBoundPadding);
    return box;
}

} // namespace

DeviceList::DeviceList(QWidget *parent)
    : QWidget(parent)
{
    m_list = new QListWidget(this);
    m_list->setObjectName(QStringLiteral("deviceChoices"));
    m_list->setAccessibleName(tr("Devices to use"));
    m_list->setAccessibleDescription(
        tr("Space ticks a device; Alt with the up and down keys moves it."));
    m_list->setWordWrap(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setResizeMode(QListView::Adjust);
    m_list->setStyleSheet(QStringLiteral("QListWidget::item { padding: 4px 2px; border: none; }"));
    m_list->installEventFilter(this);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_list, 1);
    row->addWidget(buildButtons(), 0, Qt::AlignTop);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addLayout(row);
    layout->addWidget(buildBounds());
    setFocusProxy(m_list);
    connect(m_list, &QListWidget::currentRowChanged, this, &DeviceList::showBounds);
    connect(m_list, &QListWidget::itemChanged, this, &DeviceList::take);
    showRows({});
}

QWidget *DeviceList::buildButtons()
{
    auto *column = new QWidget(this);
    auto *layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    const auto add = [&](const char *name, Qt::ArrowType arrow, const QString &text, int by) {
        auto *button = new QToolButton(column);
        button->setObjectName(QLatin1String(name));
        button->setArrowType(arrow);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setAccessibleName(text);
        button->setToolTip(text);
        connect(button, &QToolButton::clicked, this, [this, by] { move(by); });
        layout->addWidget(button);
        return button;
    };
    m_up = add("deviceUp", Qt::UpArrow, tr("Earlier (Alt+Up)"), -1);
    m_down = add("deviceDown", Qt::DownArrow, tr("Later (Alt+Down)"), 1);
    return column;
}

QWidget *DeviceList::buildBounds()
{
    auto *bounds = new QWidget(this);
    auto *form = new QFormLayout(bounds);
    form->setContentsMargins(0, 0, 0, 0);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    m_whose = new QLabel(bounds);
    m_whose->setObjectName(QStringLiteral("deviceOfBounds"));
    m_whose->setTextFormat(Qt::PlainText);
    m_whose->setWordWrap(true);
    form->addRow(m_whose);
    m_limit = gigabytesBox("deviceLimit", kNoLimit, bounds);
    m_limit->setSpecialValueText(tr("No limit"));
    m_limit->setAccessibleName(tr("Limit of the chosen device"));
    m_limit->setToolTip(tr("What Fireside may take of its memory at most"));
    m_reserve = gigabytesBox("deviceReserve", 0, bounds);
    m_reserve->setSpecialValueText(tr("Nothing"));
    m_reserve->setAccessibleName(tr("Reserve of the chosen device"));
    m_reserve->setToolTip(tr("What stays free of its memory for other programs"));
    const auto add = [&](const QString &text, QDoubleSpinBox *box) {
        auto *label = new QLabel(text, bounds);
        label->setBuddy(box);
        form->addRow(label, box);
        connect(box, &QDoubleSpinBox::valueChanged, this, &DeviceList::take);
    };
    add(tr("Takes at most:"), m_limit);
    add(tr("Leaves free:"), m_reserve);
    return bounds;
}

int DeviceList::current() const
{
    return m_list->currentRow();
}

void DeviceList::setValue(const std::vector<std::string> &value)
{
    if (value == m_value)
        return;
    m_value = value;
    m_rows = deviceRows(m_value, m_devices);
    showRows({});
}

void DeviceList::setDevices(const QList<DeviceStatus> &devices)
{
    const std::string chosen = current() >= 0 ? m_rows[current()].choice.id : std::string();
    m_devices = devices;
    m_rows = deviceRows(m_value, m_devices);
    showRows(chosen);
}

/// current: the id of the row that is chosen; one that there is not: the first.
void DeviceList::showRows(const std::string &current)
{
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    int chosen = 0;
    for (int i = 0; i < m_rows.size(); ++i) {
        auto *item = new QListWidgetItem(m_list);
        Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
        if (!m_rows[i].isCpu)
            flags |= Qt::ItemIsUserCheckable;
        item->setFlags(flags);
        showItem(i);
        if (m_rows[i].choice.id == current)
            chosen = i;
    }
    if (!m_rows.isEmpty())
        m_list->setCurrentRow(chosen);
    const int lines = std::clamp(static_cast<int>(m_rows.size()), 1, kMostLines);
    m_list->setFixedHeight((fontMetrics().height() + kItemPadding) * lines + 2 * kItemPadding);
    showBounds();
}

void DeviceList::showItem(int row)
{
    QListWidgetItem *item = m_list->item(row);
    item->setText(describe(m_rows[row]));
    item->setToolTip(item->text());
    if (!m_rows[row].isCpu)
        item->setCheckState(m_rows[row].used ? Qt::Checked : Qt::Unchecked);
}

void DeviceList::showBounds()
{
    m_showing = true;
    const bool any = current() >= 0 && m_rows[current()].used;
    m_whose->setText(current() >= 0 ? tr("Memory of %1:").arg(m_rows[current()].name) : QString());
    m_limit->setEnabled(any);
    m_reserve->setEnabled(any);
    m_limit->setValue(any ? m_rows[current()].choice.limit.value_or(kNoLimit) : kNoLimit);
    m_reserve->setValue(any ? m_rows[current()].choice.reserve : 0);
    const bool up = canMove(-1), down = canMove(1);
    // A button that has no further use passes the keys on to the other.
    QWidget *const keys = window()->focusWidget();
    if (keys == m_up && !up && down) {
        m_down->setEnabled(true);
        m_down->setFocus();
    } else if (keys == m_down && !down && up) {
        m_up->setEnabled(true);
        m_up->setFocus();
    }
    m_up->setEnabled(up);
    m_down->setEnabled(down);
    m_showing = false;
}

bool DeviceList::canMove(int by) const
{
    const int from = current(), to = from + by;
    return from >= 0 && to >= 0 && to < m_rows.size() && !m_rows[from].isCpu && !m_rows[to].isCpu;
}

void DeviceList::move(int by)
{
    if (!canMove(by))
        return;
    const int to = current() + by;
    m_rows.swapItemsAt(current(), to);
    showRows(m_rows[to].choice.id);
    change();
}

void DeviceList::take()
{
    if (m_showing)
        return;
    for (int i = 0; i < m_rows.size(); ++i)
        if (!m_rows[i].isCpu)
            m_rows[i].used = m_list->item(i)->checkState() == Qt::Checked;
    if (current() >= 0 && m_limit->isEnabled()) {
        DeviceChoice &choice = m_rows[current()].choice;
        choice.limit.reset();
        if (m_limit->value() > 0 || (m_rows[current()].isCpu && m_limit->value() == 0))
            choice.limit = m_limit->value();
        choice.reserve = m_reserve->value();
        if (!m_rows[current()].isCpu && m_limit->value() == 0)
            m_rows[current()].used = false; // nothing may be taken there
    }
    {
        const QSignalBlocker quiet(m_list);
        for (int i = 0; i < m_rows.size(); ++i)
            showItem(i);
    }
    showBounds();
    change();
}

void DeviceList::change()
{
    m_value = deviceSetting(m_rows, m_devices);
    emit edited();
}

bool DeviceList::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_list && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool up = key->key() == Qt::Key_Up, down = key->key() == Qt::Key_Down;
        if (key->modifiers().testFlag(Qt::AltModifier) && (up || down)) {
            move(up ? -1 : 1);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace fireside
