#include "ui/models/load_options_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>

#include <algorithm>

namespace fireside {

namespace {

constexpr int kMostThreads = 512;
constexpr int kOptionPadding = 14;

// The label is the control's name for screen readers, the tooltip its description.
void addRow(QFormLayout *form, const QString &name, QWidget *control, const QString &help)
{
    auto *label = new QLabel(name, form->parentWidget());
    label->setBuddy(control);
    control->setMinimumHeight(control->fontMetrics().height() + kOptionPadding);
    control->setToolTip(help);
    control->setAccessibleName(QString(name).remove(QLatin1Char('&')).remove(QLatin1Char(':')));
    control->setAccessibleDescription(help);
    form->addRow(label, control);
}

} // namespace

ContextSpinBox::ContextSpinBox(QWidget *parent)
    : QSpinBox(parent)
{
    setRange(0, kMost);
    setSpecialValueText(tr("Automatic"));
    setSuffix(tr(" tokens"));
    setGroupSeparatorShown(true);
    setKeyboardTracking(false);
    // Less than this cannot hold a question and its answer.
    connect(this, &QSpinBox::editingFinished, this, [this] {
        if (value() > 0 && value() < kLeast)
            setValue(kLeast);
    });
}

void ContextSpinBox::stepBy(int steps)
{
    int tokens = value();
    for (; steps > 0; --steps)
        tokens = tokens < kLeast ? kLeast : std::min(tokens * 2, kMost);
    for (; steps < 0; ++steps)
        tokens = tokens <= kLeast ? 0 : tokens / 2;
    setValue(tokens);
}

QAbstractSpinBox::StepEnabled ContextSpinBox::stepEnabled() const
{
    StepEnabled steps = StepNone;
    if (value() > 0)
        steps |= StepDownEnabled;
    if (value() < kMost)
        steps |= StepUpEnabled;
    return steps;
}

LoadOptionsForm::LoadOptionsForm(QWidget *parent)
    : QWidget(parent)
{
    auto *form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);

    m_backend = new QComboBox(this);
    m_backend->setObjectName(QStringLiteral("loadBackend"));
    m_backend->addItem(tr("Automatic"), QStringLiteral("auto"));
    m_backend->addItem(tr("Graphics processor (Vulkan)"), QStringLiteral("vulkan"));
    m_backend->addItem(tr("Processor (CPU)"), QStringLiteral("cpu"));
    addRow(form, tr("&Run on:"), m_backend,
           tr("Automatic takes the graphics processor when it is usable and the model fits, else "
              "the CPU, "
              "and always says why."));

    m_context = new ContextSpinBox(this);
    m_context->setObjectName(QStringLiteral("loadContext"));
    addRow(form, tr("&Context:"), m_context,
           tr("How much of a chat the model can see. More needs more memory. Automatic: what the "
              "model was "
              "trained for, 8,192 tokens at most."));

    m_kvType = new QComboBox(this);
    m_kvType->setObjectName(QStringLiteral("loadKvType"));
    m_kvType->addItem(tr("F16 (usual)"), QStringLiteral("f16"));
    m_kvType->addItem(tr("Q8_0 (half the memory)"), QStringLiteral("q8_0"));
    m_kvType->addItem(tr("F32 (exact, twice the memory)"), QStringLiteral("f32"));
    addRow(form, tr("Context &memory:"), m_kvType,
           tr("The number format in which the model remembers the chat."));

    m_threads = new QSpinBox(this);
    m_threads->setObjectName(QStringLiteral("loadThreads"));
    m_threads->setRange(0, kMostThreads);
    m_threads->setSpecialValueText(tr("Automatic"));
    m_threads->setKeyboardTracking(false);
    addRow(form, tr("&Threads:"), m_threads,
           tr("Processor threads that calculate. Automatic: one for each physical core."));

    // Long choices must not widen the picker.
    for (QComboBox *box : {m_backend, m_kvType}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(12);
    }
    connect(m_backend, &QComboBox::currentIndexChanged, this, &LoadOptionsForm::emitChanged);
    connect(m_context, &QSpinBox::valueChanged, this, &LoadOptionsForm::emitChanged);
    connect(m_kvType, &QComboBox::currentIndexChanged, this, &LoadOptionsForm::emitChanged);
    connect(m_threads, &QSpinBox::valueChanged, this, &LoadOptionsForm::emitChanged);
}

LoadSettings LoadOptionsForm::settings() const
{
    LoadSettings settings;
    settings.backend = m_backend->currentData().toString();
    settings.context = m_context->value();
    settings.kvType = m_kvType->currentData().toString();
    settings.threads = m_threads->value();
    return settings;
}

void LoadOptionsForm::setSettings(const LoadSettings &settings)
{
    const QSignalBlocker quiet(this);
    m_backend->setCurrentIndex(std::max(0, m_backend->findData(settings.backend)));
    m_context->setValue(settings.context);
    m_kvType->setCurrentIndex(std::max(0, m_kvType->findData(settings.kvType)));
    m_threads->setValue(settings.threads);
}

void LoadOptionsForm::emitChanged()
{
    // A half-typed context is corrected when the field is left.
    if (m_context->value() > 0 && m_context->value() < ContextSpinBox::kLeast)
        return;
    emit changed(settings());
}

} // namespace fireside
