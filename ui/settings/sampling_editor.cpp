#include "ui/settings/sampling_editor.h"

#include "app/settings/setting_values.h"
#include "ui/settings/preset_bar.h"
#include "ui/settings/thinking_offer.h"
#include "ui/style/direction.h"
#include "ui/style/icons.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <string_view>

namespace fireside {

namespace {

constexpr int kRowLabelLetters = 22;
constexpr int kRowFieldLetters = 18;
constexpr int kRowControlPadding = 14;
constexpr int kRowTextPadding = 6;
constexpr int kFoldGap = 10;

} // namespace

SamplingEditor::SamplingEditor(PresetStore &presets, bool ofChat, QWidget *parent)
    : QWidget(parent)
    , m_ofChat(ofChat)
    , m_presets(new PresetBar(presets, ofChat, this))
    , m_editors(ofChat ? QStringLiteral("chat") : QString(), this)
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(4);
    page->addWidget(m_presets);
    connect(m_presets, &PresetBar::chosen, this,
            [this](const QString &name, const SettingValues &values) {
                SamplingChoice choice = m_choice;
                choice.choose(name.toStdString(), values);
                change(choice);
            });
    QVBoxLayout *section = page;
    std::string_view title;
    for (qsizetype i = 0; i < m_editors.all().size(); ++i) {
        const SettingEditor *editor = m_editors.all()[i];
        if (title != editor->setting().section) {
            title = editor->setting().section;
            section = startSection(editor->setting(), page);
        }
        addRow(section, *editor);
        if (editor->setting().advanced)
            m_folds.last().rows.append(i);
        connect(editor, &SettingEditor::edited, this, [this, i] { take(i); });
        connect(m_rows[i].reset, &QPushButton::clicked, this, [this, i] { reset(i); });
    }
    update();
}

/// A heading, or for what few need a button that unfolds it.
QVBoxLayout *SamplingEditor::startSection(const Setting &setting, QVBoxLayout *page)
{
    page->addSpacing(kFoldGap);
    auto *content = new QWidget(this);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(4);
    const QString title = translated(setting.section);
    if (setting.advanced) {
        auto *button = new QPushButton(this);
        button->setObjectName(QStringLiteral("fold") + QString::number(m_folds.size()));
        button->setProperty("role", "quiet");
        button->setCheckable(true);
        button->setAutoDefault(false);
        button->setIcon(icon(IconName::ChevronRight, IconTint::Muted));
        connect(button, &QPushButton::toggled, content, [button, content](bool open) {
            content->setVisible(open);
            button->setIcon(
                icon(open ? IconName::ChevronDown : IconName::ChevronRight, IconTint::Muted));
        });
        content->hide();
        page->addWidget(button, 0, Qt::AlignLeft);
        m_folds.append({button, content, title, {}});
    } else {
        page->addWidget(note(title, "heading"));
    }
    page->addWidget(content);
    if (std::string_view(setting.section) == kWordsSection)
        layout->addWidget(
            note(tr("What is on works in this order: likelier words, penalties, DRY, top-n-sigma, "
                    "top-k, temperature, typical-p, min-p, top-p, XTC. Mirostat takes the place "
                    "of everything from top-n-sigma on but the temperature."),
                 "muted"));
    return layout;
}

QLabel *SamplingEditor::note(const QString &text, const char *role)
{
    auto *label = new QLabel(text, this);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setProperty("role", role);
    return label;
}

void SamplingEditor::addRow(QVBoxLayout *layout, const SettingEditor &editor)
{
    QWidget *control = editor.control();
    const int letter = fontMetrics().averageCharWidth();
    auto *row = new QHBoxLayout;
    auto *label = new QLabel(this);
    if (!qobject_cast<QCheckBox *>(control)) { // which says it itself
        label->setText(translated(editor.setting().label));
        label->setBuddy(control);
    }
    label->setMinimumWidth(kRowLabelLetters * letter);
    standAtStart(*label);
    // Beside the first line of its field.
    const bool text = qobject_cast<QPlainTextEdit *>(control);
    label->setMinimumHeight(text ? 0 : fontMetrics().height() + kRowControlPadding);
    label->setContentsMargins(0, text ? kRowTextPadding : 0, 0, 0);
    row->addWidget(label, 0, Qt::AlignTop);
    auto *column = new QVBoxLayout;
    column->setSpacing(2);
    auto *line = new QHBoxLayout;
    auto *source = new QLabel(this);
    source->setTextFormat(Qt::PlainText);
    source->setProperty("role", "small");
    source->setObjectName(control->objectName() + QStringLiteral("Source"));
    auto *reset = new QPushButton(tr("Reset"), this);
    reset->setProperty("role", "quiet");
    reset->setAutoDefault(false);
    reset->setObjectName(control->objectName() + QStringLiteral("Reset"));
    reset->setAccessibleName(tr("Reset %1").arg(editor.title()));
    if (text) {
        column->addWidget(control);
    } else {
        control->setMinimumSize(kRowFieldLetters * letter,
                                fontMetrics().height() + kRowControlPadding);
        line->addWidget(control);
    }
    line->addWidget(source);
    line->addWidget(reset);
    line->addStretch(1);
    column->addLayout(line);
    QLabel *help = note(translated(editor.setting().help), "muted");
    help->setObjectName(control->objectName() + QStringLiteral("Help"));
    help->setMinimumWidth(kRowFieldLetters * letter); // else its words would take the label's place
    column->addWidget(help);
    row->addLayout(column, 1);
    layout->addLayout(row);
    layout->addSpacing(8);
    m_rows.append({help, source, reset});
}

void SamplingEditor::offer(const ThinkingOffer *offer)
{
    for (qsizetype i = 0; i < m_editors.all().size(); ++i) {
        const SettingEditor &editor = *m_editors.all()[i];
        const QString refusal = offer ? thinkingRefusal(editor.setting().key, *offer) : QString();
        const QString text = refusal.isEmpty() ? translated(editor.setting().help) : refusal;
        editor.control()->setEnabled(refusal.isEmpty());
        editor.control()->setAccessibleDescription(text);
        m_rows[i].help->setText(text);
    }
}

void SamplingEditor::show(const SamplingLayers &below, const SamplingChoice &choice)
{
    m_below = below;
    m_choice = choice;
    update();
}

void SamplingEditor::take(qsizetype row)
{
    const SettingEditor &editor = *m_editors.all()[row];
    const SettingValue value = editor.value();
    if (!isAccepted(editor.setting(), value)) // half typed
        return;
    m_choice.own[editor.setting().key] = value;
    update();
    emit edited(m_choice);
}

void SamplingEditor::reset(qsizetype row)
{
    SamplingChoice choice = m_choice;
    choice.own.erase(m_editors.all()[row]->setting().key);
    change(choice);
    m_editors.all()[row]->control()->setFocus(); // the button is gone
}

void SamplingEditor::change(const SamplingChoice &choice)
{
    m_choice = choice;
    update();
    emit edited(m_choice);
}

void SamplingEditor::update()
{
    SamplingLayers layers = m_below;
    addChoice(layers, m_choice, m_ofChat);
    const SamplingSettings settings = resolved(layers);
    m_presets->show(m_choice);
    for (qsizetype i = 0; i < m_rows.size(); ++i) {
        SettingEditor &editor = *m_editors.all()[i];
        const SettingValue value =
            SamplingSettings::table()[static_cast<std::size_t>(i)].read(settings);
        if (editor.value() != value) // what is being typed keeps its cursor
            editor.setValue(value);
        const QString source = sourceText(sourceOf(layers, editor.setting().key));
        m_rows[i].source->setText(source);
        m_rows[i].source->setVisible(!source.isEmpty());
        m_rows[i].reset->setVisible(m_choice.own.contains(editor.setting().key));
    }
    updateFolds();
}

void SamplingEditor::updateFolds()
{
    SamplingLayers layers = m_below;
    addChoice(layers, m_choice, m_ofChat);
    for (const Fold &fold : m_folds) {
        const auto set = std::count_if(fold.rows.begin(), fold.rows.end(), [&](qsizetype row) {
            return sourceOf(layers, m_editors.all()[row]->setting().key) != nullptr;
        });
        fold.button->setText(set == 0 ? fold.title : tr("%1 (%2 set)").arg(fold.title).arg(set));
    }
}

/// Nothing for the program's defaults.
QString SamplingEditor::sourceText(const SamplingLayer *layer) const
{
    if (layer == nullptr)
        return {};
    const QString name = QString::fromStdString(layer->name);
    switch (layer->source) {
    case SamplingSource::Model:
        return tr("Recommended by %1").arg(name);
    case SamplingSource::Preset:
        return m_ofChat ? tr("Preset %1, for all chats").arg(name) : tr("Preset %1").arg(name);
    case SamplingSource::ChatPreset:
        return tr("Preset %1").arg(name);
    case SamplingSource::AllChats:
        return m_ofChat ? tr("Set for all chats") : tr("Set here");
    case SamplingSource::Chat:
        return tr("Set for this chat");
    }
    return {};
}

} // namespace fireside
