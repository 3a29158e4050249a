#include "ui/settings/preset_bar.h"

#include "app/settings/preset_store.h"
#include "ui/style/icons.h"
#include "ui/style/page_wheel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QStandardPaths>
#include <QToolButton>
#include <QVBoxLayout>

namespace fireside {

namespace {

constexpr int kPresetListLetters = 26;

QString presetFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
}

} // namespace

PresetBar::PresetBar(PresetStore &presets, bool ofChat, QWidget *parent)
    : QWidget(parent)
    , m_presets(presets)
    , m_ofChat(ofChat)
    , m_list(new QComboBox(this))
    , m_menu(new QToolButton(this))
    , m_note(new QLabel(this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    auto *label = new QLabel(tr("P&reset"), this);
    label->setBuddy(m_list);
    m_list->setObjectName(ofChat ? QStringLiteral("chatPreset") : QStringLiteral("preset"));
    m_list->setAccessibleName(tr("Preset"));
    PageWheel::leaveToPage(m_list);
    m_list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_list->setMinimumContentsLength(kPresetListLetters);
    m_menu->setObjectName(QStringLiteral("presetMenu"));
    m_menu->setIcon(icon(IconName::More, IconTint::Muted));
    m_menu->setAccessibleName(tr("Presets"));
    m_menu->setToolTip(tr("Save, rename, delete, import and export presets"));
    m_menu->setPopupMode(QToolButton::InstantPopup);
    m_menu->setFocusPolicy(Qt::StrongFocus);
    auto *menu = new QMenu(m_menu);
    m_save = menu->addAction(tr("&Save as a preset…"), this, &PresetBar::save);
    m_rename = menu->addAction(tr("&Rename…"), this, &PresetBar::rename);
    m_delete = menu->addAction(tr("&Delete"), this, [this] {
        const Preset deleted = *m_presets.find(m_list->currentText());
        m_presets.remove(deleted.name);
        say(tr("“%1” was deleted. What was set by it stays.").arg(deleted.name));
    });
    menu->addSeparator();
    menu->addAction(tr("&Import…"), this, &PresetBar::importPresets);
    m_export = menu->addAction(tr("&Export…"), this, &PresetBar::exportPresets);
    m_menu->setMenu(menu);
    row->addWidget(label);
    row->addWidget(m_list);
    row->addWidget(m_menu);
    row->addStretch(1);
    column->addLayout(row);
    m_note->setObjectName(QStringLiteral("presetNote"));
    m_note->setTextFormat(Qt::PlainText);
    m_note->setWordWrap(true);
    m_note->setProperty("role", "small");
    m_note->hide();
    column->addWidget(m_note);
    connect(m_list, &QComboBox::activated, this, &PresetBar::choose);
    connect(&m_presets, &PresetStore::changed, this, &PresetBar::fill);
    fill();
    say(m_presets.problem());
}

void PresetBar::show(const SamplingChoice &choice)
{
    const bool other = choice.preset != m_choice.preset;
    m_choice = choice;
    if (other)
        fill();
    m_save->setEnabled(!choice.values().empty());
}

void PresetBar::fill()
{
    const QString chosen = QString::fromStdString(m_choice.preset);
    m_list->clear();
    m_list->addItem(m_ofChat ? tr("As for all chats") : tr("None: as the model recommends"));
    for (const Preset &preset : m_presets.presets())
        m_list->addItem(preset.name, preset.name);
    if (!chosen.isEmpty() && m_list->findData(chosen) < 0)
        m_list->addItem(chosen, chosen); // deleted or renamed since; its values are still in use
    m_list->setCurrentIndex(chosen.isEmpty() ? 0 : m_list->findData(chosen));
    m_rename->setEnabled(ownIsChosen());
    m_delete->setEnabled(ownIsChosen());
    m_save->setEnabled(!m_choice.values().empty());
    m_export->setEnabled(!m_presets.presets().last().builtIn);
}

bool PresetBar::ownIsChosen() const
{
    const Preset *preset = m_presets.find(m_list->currentData().toString());
    return preset != nullptr && !preset->builtIn;
}

void PresetBar::choose(int index)
{
    say({});
    const QString name = m_list->itemData(index).toString();
    const Preset *preset = m_presets.find(name);
    if (name.isEmpty())
        emit chosen({}, {});
    else if (preset)
        emit chosen(preset->name, preset->values);
}

void PresetBar::askForName(const QString &title, const QString &name,
                           const std::function<void(const QString &)> &use)
{
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("presetName"));
    dialog->setWindowTitle(title);
    dialog->setLabelText(tr("Name"));
    dialog->setTextValue(name);
    connect(dialog, &QInputDialog::textValueSelected, this, [this, use](const QString &text) {
        const QString refusal = m_presets.refusalOf(text);
        say(refusal);
        if (refusal.isEmpty())
            use(text.trimmed());
    });
    dialog->open();
}

void PresetBar::save()
{
    askForName(tr("Save as a preset"), ownIsChosen() ? m_list->currentText() : QString(),
               [this](const QString &name) {
                   const SettingValues values = m_choice.values();
                   m_presets.save(name, values);
                   emit chosen(name, values);
                   say(m_presets.problem());
               });
}

void PresetBar::rename()
{
    const QString before = m_list->currentText();
    askForName(tr("Rename the preset"), before, [this, before](const QString &name) {
        const Preset *other = m_presets.find(name);
        if (other && other->name.compare(before, Qt::CaseInsensitive) != 0)
            return say(tr("There is a preset called “%1” already.").arg(other->name));
        m_presets.rename(before, name);
        if (const Preset *preset = m_presets.find(name))
            emit chosen(preset->name, m_choice.presetValues);
        say(m_presets.problem());
    });
}

void PresetBar::importPresets()
{
    auto *dialog = new QFileDialog(this, tr("Import presets"), presetFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Presets (*.json)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        const int count = m_presets.importFrom(path);
        say(count < 0 ? m_presets.problem() : tr("Presets imported: %1.").arg(count));
    });
    dialog->open();
}

void PresetBar::exportPresets()
{
    auto *dialog = new QFileDialog(this, tr("Export your presets"), presetFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->setNameFilters({tr("Presets (*.json)")});
    dialog->selectFile(tr("presets") + QStringLiteral(".json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        say(m_presets.exportTo(path) ? tr("Exported as %1.").arg(path) : m_presets.problem());
    });
    dialog->open();
}

void PresetBar::say(const QString &text)
{
    m_note->setText(text);
    m_note->setVisible(!text.isEmpty());
}

} // namespace fireside
