#include "ui/settings/appearance_page.h"

#include "app/settings/app_settings.h"

#include <QButtonGroup>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QRadioButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {

namespace {

constexpr int kLeastPoints = 7; // one below the smallest size stands for "the system's"
constexpr int kMostPoints = 32;

} // namespace

AppearancePage::AppearancePage(AppSettings &settings, QWidget *parent)
    : QWidget(parent)
    , m_settings(settings)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);

    auto *colours = new QLabel(tr("Colours"), this);
    colours->setProperty("role", "heading");
    layout->addWidget(colours);
    m_theme = new QButtonGroup(this);
    const auto add = [&](AppSettings::Theme theme, const char *name, const QString &text) {
        auto *button = new QRadioButton(text, this);
        button->setObjectName(QLatin1String(name));
        m_theme->addButton(button, static_cast<int>(theme));
        layout->addWidget(button);
    };
    add(AppSettings::Theme::System, "themeSystem", tr("As the &desktop"));
    add(AppSettings::Theme::Light, "themeLight", tr("&Light"));
    add(AppSettings::Theme::Dark, "themeDark", tr("Dar&k"));

    layout->addSpacing(12);
    auto *row = new QHBoxLayout;
    auto *label = new QLabel(tr("&Text size"), this);
    m_fontSize = new QSpinBox(this);
    m_fontSize->setObjectName(QStringLiteral("fontSize"));
    m_fontSize->setAccessibleName(tr("Text size"));
    m_fontSize->setRange(kLeastPoints, kMostPoints);
    m_fontSize->setSpecialValueText(tr("As the desktop"));
    m_fontSize->setSuffix(tr(" pt"));
    m_fontSize->setKeyboardTracking(false);
    m_fontSize->setMinimumHeight(fontMetrics().height() + 14);
    label->setBuddy(m_fontSize);
    row->addWidget(label);
    row->addWidget(m_fontSize);
    row->addStretch(1);
    layout->addLayout(row);
    layout->addSpacing(12);
    layout->addWidget(buildPreview());
    layout->addStretch(1);

    showSettings();
    connect(&settings, &AppSettings::appearanceChanged, this, &AppearancePage::showSettings);
    connect(m_theme, &QButtonGroup::idClicked, this,
            [this](int id) { m_settings.setTheme(static_cast<AppSettings::Theme>(id)); });
    connect(m_fontSize, &QSpinBox::valueChanged, this,
            [this](int points) { m_settings.setFontSize(points <= kLeastPoints ? 0 : points); });
}

QWidget *AppearancePage::buildPreview()
{
    auto *card = new QFrame(this);
    card->setProperty("role", "card");
    card->setAccessibleName(tr("Preview"));
    auto *layout = new QVBoxLayout(card);
    layout->setContentsMargins(16, 12, 16, 12);
    const auto add = [&](const QString &text, const char *role) {
        auto *label = new QLabel(text, card);
        label->setWordWrap(true);
        label->setProperty("role", role);
        layout->addWidget(label);
    };
    add(tr("Preview"), "muted");
    add(tr("Why is the sky blue?"), "heading");
    add(tr("Air scatters short, blue waves of sunlight far more than long, red ones, so blue light "
           "reaches "
           "the eye from every direction."),
        "");
    add(tr("12.3 tok/s · 41 tokens"), "muted");
    return card;
}

void AppearancePage::showSettings()
{
    if (QAbstractButton *button = m_theme->button(static_cast<int>(m_settings.theme())))
        button->setChecked(true);
    const QSignalBlocker quiet(m_fontSize);
    m_fontSize->setValue(std::max(m_settings.fontSize(), kLeastPoints));
}

} // namespace fireside
