#include "ui/settings/generation_page.h"

#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "app/settings/preset_store.h"
#include "app/settings/setting_values.h"
#include "ui/settings/sampling_editor.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace fireside {

SamplingLayers modelLayers(const EngineService &engine)
{
    if (!engine.hasModel())
        return {};
    const ModelStatus &model = engine.model();
    return {{SamplingSource::Model, model.name.toStdString(), model.recommended}};
}

GenerationPage::GenerationPage(AppSettings &settings, EngineService &engine, QWidget *parent)
    : QWidget(parent)
    , m_settings(settings)
    , m_engine(engine)
    , m_sampling(new SamplingEditor(settings.presets(), false, this))
    , m_chat(QString(), this)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_sampling);
    auto *heading = new QLabel(tr("Chats"), this);
    heading->setProperty("role", "heading");
    layout->addSpacing(10);
    layout->addWidget(heading);
    for (const SettingEditor *editor : m_chat.all()) {
        auto *form = new QFormLayout;
        if (qobject_cast<QCheckBox *>(editor->control()))
            form->addRow(editor->control());
        else
            form->addRow(translated(editor->setting().label), editor->control());
        auto *help = new QLabel(translated(editor->setting().help), this);
        help->setTextFormat(Qt::PlainText);
        help->setWordWrap(true);
        help->setProperty("role", "muted");
        layout->addLayout(form);
        layout->addWidget(help);
        layout->addSpacing(8);
    }

    m_reset = new QPushButton(tr("&Reset to defaults"), this);
    m_reset->setObjectName(QStringLiteral("samplingReset"));
    m_reset->setAutoDefault(false);
    connect(m_reset, &QPushButton::clicked, this, &GenerationPage::resetOrUndo);
    layout->addSpacing(8);
    layout->addWidget(m_reset, 0, Qt::AlignLeft);
    layout->addStretch(1);

    connect(m_sampling, &SamplingEditor::edited, this, &GenerationPage::store);
    connect(&settings, &AppSettings::samplingChanged, this, &GenerationPage::showAll);
    connect(&engine, &EngineService::loaded, this, &GenerationPage::showAll);
    connect(&engine, &EngineService::loadStarted, this, [this] { m_sampling->offer(nullptr); });
    showAll();
    m_chat.show(settings.chat());
    m_chat.onEdited(this, [this] {
        if (m_chat.complete())
            m_settings.setChat(m_chat.shown());
    });
    connect(&settings, &AppSettings::chatChanged, this, [this] { m_chat.show(m_settings.chat()); });
}

void GenerationPage::showAll()
{
    m_sampling->offer(m_engine.hasModel() ? &m_engine.model().thinking : nullptr);
    m_sampling->show(modelLayers(m_engine), m_settings.samplingChoice());
}

void GenerationPage::store(const SamplingChoice &choice)
{
    m_beforeReset.reset();
    m_reset->setText(tr("&Reset to defaults"));
    m_settings.setSampling(choice);
}

void GenerationPage::resetOrUndo()
{
    const SamplingChoice wanted = m_beforeReset.value_or(SamplingChoice());
    if (m_beforeReset)
        m_beforeReset.reset();
    else
        m_beforeReset = m_settings.samplingChoice();
    m_reset->setText(m_beforeReset ? tr("Undo &reset") : tr("&Reset to defaults"));
    m_settings.setSampling(wanted);
}

} // namespace fireside
