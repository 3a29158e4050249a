#include "ui/settings/appearance_page.h"

#include "app/settings/app_settings.h"
#include "app/settings/setting_values.h"

#include <QCheckBox>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace fireside {

AppearancePage::AppearancePage(AppSettings &settings, QWidget *parent)
    : QWidget(parent)
    , m_settings(settings)
    , m_editors(QString(), this)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);

    for (const SettingEditor *editor : m_editors.all())
        addField(layout, *editor);
    layout->addSpacing(12);
    layout->addWidget(buildPreview());
    layout->addStretch(1);

    m_editors.show(settings.appearance());
    connect(&settings, &AppSettings::appearanceChanged, this,
            [this] { m_editors.show(m_settings.appearance()); });
    m_editors.onEdited(this, [this] {
        if (m_editors.complete())
            m_settings.setAppearance(m_editors.shown());
    });
}

/// Buttons stand below a heading, other controls beside their name.
void AppearancePage::addField(QVBoxLayout *layout, const SettingEditor &editor)
{
    if (qobject_cast<QCheckBox *>(editor.control())) { // which says its name itself
        m_fields = nullptr;
        layout->addSpacing(12);
        layout->addWidget(editor.control());
        addHelp(layout, editor);
        return;
    }
    auto *label = new QLabel(translated(editor.setting().label), this);
    if (editor.setting().asButtons) {
        m_fields = nullptr;
        label->setProperty("role", "heading");
        layout->addWidget(label);
        layout->addWidget(editor.control());
        return;
    }
    editor.control()->setMinimumHeight(fontMetrics().height() + 14);
    label->setBuddy(editor.control());
    // The underlined letter is drawn without kerning, but would be measured with it.
    QFont font = label->font();
    font.setKerning(false);
    label->setFont(font);
    if (!m_fields) {
        layout->addSpacing(12);
        m_fields = new QGridLayout;
        m_fields->setVerticalSpacing(12);
        m_fields->setHorizontalSpacing(12);
        m_fields->setColumnStretch(2, 1); // empty: fields are as wide as the widest
        layout->addLayout(m_fields);
    }
    const int row = m_fields->rowCount();
    m_fields->addWidget(label, row, 0);
    m_fields->addWidget(editor.control(), row, 1);
}

void AppearancePage::addHelp(QVBoxLayout *layout, const SettingEditor &editor)
{
    auto *help = new QLabel(translated(editor.setting().help), this);
    help->setProperty("role", "small");
    help->setWordWrap(true);
    layout->addWidget(help);
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
    add(tr("12.3 tok/s · 41 tokens"), "small");
    return card;
}

} // namespace fireside
