#pragma once
#include "app/runtime/engine_types.h"
#include "app/settings/sampling_layers.h"
#include "ui/settings/setting_editors.h"

#include <QHash>
#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace fireside {

class PresetBar;
class PresetStore;

/// How replies are made, for all chats or for one: a preset, and a control for each setting, which
/// says what it does, where its value comes from, and goes back to what lies below. What few people
/// need is folded.
class SamplingEditor : public QWidget
{
    Q_OBJECT
public:
    SamplingEditor(PresetStore &presets, bool ofChat, QWidget *parent = nullptr);

    /// below: what counts where the choice says nothing.
    void show(const SamplingLayers &below, const SamplingChoice &choice);
    const SamplingChoice &choice() const { return m_choice; }
    void offer(const ThinkingOffer *offer); // nullptr: no model is loaded

signals:
    void edited(const fireside::SamplingChoice &choice);

private:
    struct Row
    {
        QLabel *help, *source;
        QPushButton *reset;
    };
    struct Fold
    {
        QPushButton *button;
        QWidget *content;
        QString title;
        QList<qsizetype> rows;
    };
    QVBoxLayout *startSection(const Setting &setting, QVBoxLayout *page);
    void addRow(QVBoxLayout *layout, const SettingEditor &editor);
    QLabel *note(const QString &text, const char *role);
    void take(qsizetype row);
    void reset(qsizetype row);
    void change(const SamplingChoice &choice);
    void update();
    void updateFolds();
    QString sourceText(const SamplingLayer *layer) const;

    const bool m_ofChat;
    PresetBar *m_presets;
    SettingEditors<SamplingSettings> m_editors;
    QList<Row> m_rows; // of m_editors
    QList<Fold> m_folds;
    SamplingLayers m_below;
    SamplingChoice m_choice;
};

} // namespace fireside
