#include "ui/settings/generation_page.h"

#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "app/settings/setting_values.h"
#include "ui/settings/thinking_offer.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace fireside {

namespace {

constexpr int kLabelLetters = 22;
constexpr int kFieldLetters = 18;
constexpr int kControlPadding = 14;

} // namespace

GenerationPage::GenerationPage(AppSettings &settings, EngineService &engine, QWidget *parent)
    : QWidget(parent)
    , m_settings(settings)
    , m_sampling(QString(), this)
    , m_chat(QString(), this)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    for (const SettingEditor *editor : m_sampling.all())
        addField(layout, *editor);
    for (const SettingEditor *editor : m_chat.all())
        addField(layout, *editor);

    m_reset = new QPushButton(tr("&Reset to defaults"), this);
    m_reset->setObjectName(QStringLiteral("samplingReset"));
    m_reset->setAutoDefault(false);
    connect(m_reset, &QPushButton::clicked, this, &GenerationPage::resetOrUndo);
    layout->addSpacing(8);
    layout->addWidget(m_reset, 0, Qt::AlignLeft);
    layout->addStretch(1);

    m_sampling.show(settings.sampling());
    m_sampling.onEdited(this, &GenerationPage::store);
    connect(&settings, &AppSettings::samplingChanged, this, [this] {
        if (m_sampling.shown() != m_settings.sampling())
            m_sampling.show(m_settings.sampling());
    });
    m_chat.show(settings.chat());
    m_chat.onEdited(this, [this] {
        if (m_chat.complete())
            m_settings.setChat(m_chat.shown());
    });
    connect(&settings, &AppSettings::chatChanged, this, [this] { m_chat.show(m_settings.chat()); });

    const auto offerTo = [this](const ModelStatus &model) { offer(&model.thinking); };
    if (engine.hasModel())
        offerTo(engine.model());
    connect(&engine, &EngineService::loaded, this, offerTo);
    connect(&engine, &EngineService::loadStarted, this, [this] { offer(nullptr); });
}

void GenerationPage::offer(const ThinkingOffer *offer)
{
    for (qsizetype i = 0; i < m_sampling.all().size(); ++i) {
        const SettingEditor &editor = *m_sampling.all()[i];
        const QString refusal = offer ? thinkingRefusal(editor.setting().key, *offer) : QString();
        const QString text = refusal.isEmpty() ? translated(editor.setting().help) : refusal;
        editor.control()->setEnabled(refusal.isEmpty());
        editor.control()->setAccessibleDescription(text);
        m_helps[i]->setText(text);
    }
}

void GenerationPage::addField(QVBoxLayout *layout, const SettingEditor &editor)
{
    QWidget *control = editor.control();
    const int letter = fontMetrics().averageCharWidth();
    auto *row = new QHBoxLayout;
    auto *label = new QLabel(this);
    if (!qobject_cast<QCheckBox *>(control)) { // which says it itself
        label->setText(translated(editor.setting().label));
        label->setBuddy(control);
    }
    label->setMinimumWidth(kLabelLetters * letter);
    row->addWidget(label, 0, Qt::AlignTop);
    auto *column = new QVBoxLayout;
    column->setSpacing(2);
    if (qobject_cast<QPlainTextEdit *>(control)) {
        column->addWidget(control);
    } else {
        control->setMinimumSize(kFieldLetters * letter, fontMetrics().height() + kControlPadding);
        column->addWidget(control, 0, Qt::AlignLeft);
    }
    auto *text = new QLabel(translated(editor.setting().help), this);
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    text->setProperty("role", "muted");
    text->setObjectName(control->objectName() + QStringLiteral("Help"));
    m_helps.append(text);
    column->addWidget(text);
    row->addLayout(column, 1);
    layout->addLayout(row);
    layout->addSpacing(8);
}

void GenerationPage::store()
{
    if (!m_sampling.complete())
        return;
    m_beforeReset.reset();
    m_reset->setText(tr("&Reset to defaults"));
    m_settings.setSampling(m_sampling.shown());
}

void GenerationPage::resetOrUndo()
{
    const SamplingSettings wanted = m_beforeReset ? *m_beforeReset : SamplingSettings{};
    if (m_beforeReset)
        m_beforeReset.reset();
    else
        m_beforeReset = m_sampling.shown();
    m_reset->setText(m_beforeReset ? tr("Undo &reset") : tr("&Reset to defaults"));
    m_sampling.show(wanted);
    m_settings.setSampling(wanted);
}

} // namespace fireside
