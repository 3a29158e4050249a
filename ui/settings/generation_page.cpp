#include "ui/settings/generation_page.h"

#include "app/settings/app_settings.h"
#include "ui/settings/stop_strings.h"
#include "ui/style/text_fields.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QSpinBox>
#include <QVBoxLayout>

namespace fireside {

namespace {

constexpr int kLabelLetters = 22;
constexpr int kFieldLetters = 18;
constexpr int kControlPadding = 14;

QPlainTextEdit *textField(int lines, QWidget *parent)
{
    auto *field = new PlainTextField(parent);
    field->setTabChangesFocus(true);
    field->setFixedHeight(field->fontMetrics().lineSpacing() * lines + 24);
    return field;
}

} // namespace

GenerationPage::GenerationPage(AppSettings &settings, QWidget *parent)
    : QWidget(parent)
    , m_settings(settings)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    buildPrompt(layout);
    buildSampling(layout);
    buildLimits(layout);

    m_reset = new QPushButton(this);
    m_reset->setObjectName(QStringLiteral("samplingReset"));
    m_reset->setAutoDefault(false);
    connect(m_reset, &QPushButton::clicked, this, &GenerationPage::resetOrUndo);
    layout->addSpacing(8);
    layout->addWidget(m_reset, 0, Qt::AlignLeft);
    layout->addStretch(1);

    show(settings.sampling());
    m_reset->setText(tr("&Reset to defaults"));
    connect(&settings, &AppSettings::samplingChanged, this, [this] {
        if (shown() != m_settings.sampling())
            show(m_settings.sampling());
    });
    for (QDoubleSpinBox *box : {m_temperature, m_topP, m_minP, m_repeatPenalty})
        connect(box, &QDoubleSpinBox::valueChanged, this, &GenerationPage::store);
    for (QSpinBox *box : {m_topK, m_maxTokens})
        connect(box, &QSpinBox::valueChanged, this, &GenerationPage::store);
    for (QPlainTextEdit *edit : {m_systemPrompt, m_stopStrings})
        connect(edit, &QPlainTextEdit::textChanged, this, &GenerationPage::store);
    connect(m_seed, &QLineEdit::textChanged, this, &GenerationPage::store);
    m_dropOldest->setChecked(settings.dropOldest());
    connect(m_dropOldest, &QCheckBox::toggled, &settings, &AppSettings::setDropOldest);
    connect(&settings, &AppSettings::dropOldestChanged, this,
            [this] { m_dropOldest->setChecked(m_settings.dropOldest()); });
}

void GenerationPage::addField(QVBoxLayout *layout, const char *name, const QString &title,
                              QWidget *control, const QString &help)
{
    const QString plainTitle = QString(title).remove(QLatin1Char('&'));
    control->setObjectName(QLatin1String(name));
    control->setAccessibleName(plainTitle);
    control->setAccessibleDescription(help);

    const int letter = fontMetrics().averageCharWidth();
    auto *row = new QHBoxLayout;
    auto *label = new QLabel(title, this);
    label->setBuddy(control);
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
    auto *text = new QLabel(help, this);
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    text->setProperty("role", "muted");
    column->addWidget(text);
    row->addLayout(column, 1);
    layout->addLayout(row);
    layout->addSpacing(8);
}

QDoubleSpinBox *GenerationPage::addNumber(QVBoxLayout *layout, const char *name,
                                          const QString &title, const QString &help, double least,
                                          double most, double step)
{
    auto *box = new QDoubleSpinBox(this);
    box->setRange(least, most);
    box->setDecimals(2);
    box->setSingleStep(step);
    addField(layout, name, title, box, help);
    return box;
}

void GenerationPage::buildPrompt(QVBoxLayout *layout)
{
    m_systemPrompt = textField(4, this);
    m_systemPrompt->setPlaceholderText(
        tr("For example: You are a patient teacher. Answer briefly."));
    addField(layout, "systemPrompt", tr("System &prompt"), m_systemPrompt,
             tr("Told to the model before every chat. Empty: the model's own."));
}

void GenerationPage::buildSampling(QVBoxLayout *layout)
{
    m_temperature = addNumber(
        layout, "temperature", tr("&Temperature"),
        tr("How freely words are chosen. 0: always the likeliest one; above 1 it gets wild."), 0, 2,
        0.05);
    m_topK = new QSpinBox(this);
    m_topK->setRange(0, 1000);
    m_topK->setSpecialValueText(tr("Off"));
    addField(layout, "topK", tr("Top-&k"), m_topK,
             tr("Choose only among this many of the likeliest words."));
    m_topP = addNumber(
        layout, "topP", tr("T&op-p"),
        tr("Choose only among the likeliest words that together reach this probability. 1: off."),
        0.01, 1, 0.01);
    m_minP = addNumber(
        layout, "minP", tr("M&in-p"),
        tr("Leave out words less likely than this part of the likeliest one. 0: off."), 0, 1, 0.01);
    m_repeatPenalty = addNumber(
        layout, "repeatPenalty", tr("Repetition p&enalty"),
        tr("Makes words that were used already less likely. 1: off; 1.1 is mild."), 1, 2, 0.05);
    m_seed = new LineField(this);
    m_seed->setPlaceholderText(tr("New for each reply"));
    // Eighteen digits always fit into 63 bits.
    m_seed->setValidator(
        new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{0,18}")), m_seed));
    addField(layout, "seed", tr("&Seed"), m_seed,
             tr("The same number, question and settings give the same reply. Empty: a new one each "
                "time, kept "
                "with the reply."));
}

void GenerationPage::buildLimits(QVBoxLayout *layout)
{
    m_maxTokens = new QSpinBox(this);
    m_maxTokens->setRange(0, 1'000'000);
    m_maxTokens->setSingleStep(128);
    m_maxTokens->setGroupSeparatorShown(true);
    m_maxTokens->setSpecialValueText(tr("Until the context is full"));
    addField(layout, "maxTokens", tr("&Longest reply"), m_maxTokens,
             tr("In tokens; a token is about three quarters of an English word."));
    m_stopStrings = textField(3, this);
    addField(layout, "stopStrings", tr("Stop strin&gs"), m_stopStrings,
             tr("One per line: a reply ends before the first of these. \\n stands for a line "
                "break, \\t for a "
                "tab, \\\\ for a backslash."));

    m_dropOldest =
        new QCheckBox(tr("Leave o&ut the oldest messages when a chat outgrows the context"), this);
    m_dropOldest->setObjectName(QStringLiteral("dropOldest"));
    m_dropOldest->setToolTip(
        tr("They stay in the chat and a line shows where the model's view begins. Otherwise "
           "the reply is refused with a message."));
    m_dropOldest->setAccessibleDescription(m_dropOldest->toolTip());
    layout->addWidget(m_dropOldest);
}

SamplingSettings GenerationPage::shown() const
{
    SamplingSettings sampling;
    sampling.systemPrompt = m_systemPrompt->toPlainText();
    sampling.temperature = m_temperature->value();
    sampling.topK = m_topK->value();
    sampling.topP = m_topP->value();
    sampling.minP = m_minP->value();
    sampling.repeatPenalty = m_repeatPenalty->value();
    sampling.seed = m_seed->text().isEmpty() ? -1 : m_seed->text().toLongLong();
    sampling.maxTokens = m_maxTokens->value();
    sampling.stopStrings = parseStopStrings(m_stopStrings->toPlainText());
    return sampling;
}

void GenerationPage::show(const SamplingSettings &sampling)
{
    m_showing = true;
    m_systemPrompt->setPlainText(sampling.systemPrompt);
    m_temperature->setValue(sampling.temperature);
    m_topK->setValue(sampling.topK);
    m_topP->setValue(sampling.topP);
    m_minP->setValue(sampling.minP);
    m_repeatPenalty->setValue(sampling.repeatPenalty);
    m_seed->setText(sampling.seed < 0 ? QString() : QString::number(sampling.seed));
    m_maxTokens->setValue(sampling.maxTokens);
    m_stopStrings->setPlainText(formatStopStrings(sampling.stopStrings));
    m_showing = false;
}

void GenerationPage::store()
{
    if (m_showing)
        return;
    m_beforeReset.reset();
    m_reset->setText(tr("&Reset to defaults"));
    m_settings.setSampling(shown());
}

void GenerationPage::resetOrUndo()
{
    const SamplingSettings wanted = m_beforeReset ? *m_beforeReset : SamplingSettings{};
    if (m_beforeReset)
        m_beforeReset.reset();
    else
        m_beforeReset = shown();
    m_reset->setText(m_beforeReset ? tr("Undo &reset") : tr("&Reset to defaults"));
    show(wanted);
    m_settings.setSampling(wanted);
}

} // namespace fireside
