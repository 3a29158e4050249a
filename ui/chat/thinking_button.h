#pragma once
#include "app/runtime/engine_types.h"
#include "ui/style/text_tool_button.h"

#include <QList>

namespace fireside {

/// Whether and how thoroughly the model thinks in this chat: a menu of what the loaded model's
/// template knows, hidden where that is nothing.
class ThinkingButton : public TextToolButton
{
    Q_OBJECT
public:
    explicit ThinkingButton(QWidget *parent = nullptr);

    void setOffer(const ThinkingOffer &offer);
    void setSampling(const SamplingSettings &sampling); // of the open chat

signals:
    void chosen(const fireside::SamplingSettings &sampling);

private:
    QList<const SettingOf<SamplingSettings> *> offered() const;
    void updateText();
    void addBudgets();
    void addChoices(const SettingOf<SamplingSettings> &setting);

    ThinkingOffer m_offer;
    SamplingSettings m_sampling;
};

} // namespace fireside
