#include "ui/chat/thinking_button.h"

#include "app/settings/setting_values.h"
#include "ui/settings/thinking_offer.h"
#include "ui/style/shortcut_menu.h"

#include <QLocale>
#include <QMenu>

#include <algorithm>

namespace fireside {
namespace {

QString withoutMnemonic(const char *label)
{
    return translated(label).remove(QLatin1Char('&'));
}

const SettingChoice &choiceOf(const Setting &setting, const SettingValue &value)
{
    const auto chosen =
        std::find_if(setting.choices.begin(), setting.choices.end(), [&](const SettingChoice &c) {
            return c.word == std::get<std::string>(value);
        });
    return chosen == setting.choices.end() ? setting.choices.front() : *chosen;
}

} // namespace

ThinkingButton::ThinkingButton(QWidget *parent)
    : TextToolButton(parent)
{
    setObjectName(QStringLiteral("chatThinking"));
    setPopupMode(QToolButton::InstantPopup);
    setToolTip(tr("How the model thinks in this chat"));
    setMenu(new QMenu(this));
    connect(menu(), &QMenu::aboutToShow, this, [this] {
        menu()->clear();
        for (const SettingOf<SamplingSettings> *setting : offered())
            addChoices(*setting);
        if (m_offer.budget)
            addBudgets();
    });
    updateText();
}

QList<const SettingOf<SamplingSettings> *> ThinkingButton::offered() const
{
    QList<const SettingOf<SamplingSettings> *> settings;
    for (const SettingOf<SamplingSettings> &setting : SamplingSettings::table()) {
        const std::string_view key = setting.key;
        if ((key == "thinking" || key == "reasoningEffort") &&
            thinkingRefusal(key, m_offer).isEmpty())
            settings.append(&setting);
    }
    return settings;
}

void ThinkingButton::setOffer(const ThinkingOffer &offer)
{
    if (offer == m_offer)
        return;
    m_offer = offer;
    updateText();
}

void ThinkingButton::setSampling(const SamplingSettings &sampling)
{
    if (sampling == m_sampling)
        return;
    m_sampling = sampling;
    updateText();
}

void ThinkingButton::addChoices(const SettingOf<SamplingSettings> &setting)
{
    addMenuHeading(*menu(), withoutMnemonic(setting.label));
    const SettingChoice *current = &choiceOf(setting, setting.read(m_sampling));
    for (const SettingChoice &choice : setting.choices) {
        QAction *action = menu()->addAction(translated(choice.label));
        action->setObjectName(QString::fromLatin1(setting.key) + QLatin1Char('.') +
                              QString::fromLatin1(choice.word));
        action->setCheckable(true);
        action->setChecked(&choice == current);
        connect(action, &QAction::triggered, this, [this, &setting, &choice] {
            SamplingSettings sampling = m_sampling;
            setting.write(sampling, std::string(choice.word));
            emit chosen(sampling);
        });
    }
}

/// After so many tokens the thoughts of this chat end.
void ThinkingButton::addBudgets()
{
    addMenuHeading(*menu(), tr("Longest thoughts"));
    QList<int> budgets{0, 256, 1024, 4096, 16384};
    if (!budgets.contains(m_sampling.thinkingBudget))
        budgets.append(m_sampling.thinkingBudget);
    std::sort(budgets.begin(), budgets.end());
    for (const int budget : budgets) {
        QAction *action = menu()->addAction(
            budget == 0 ? tr("No limit") : tr("%1 tokens").arg(QLocale().toString(budget)));
        action->setObjectName(QStringLiteral("thinkingBudget.%1").arg(budget));
        action->setCheckable(true);
        action->setChecked(budget == m_sampling.thinkingBudget);
        connect(action, &QAction::triggered, this, [this, budget] {
            SamplingSettings sampling = m_sampling;
            sampling.thinkingBudget = budget;
            emit chosen(sampling);
        });
    }
}

void ThinkingButton::updateText()
{
    QStringList words;
    for (const SettingOf<SamplingSettings> *setting : offered())
        words << QStringLiteral("%1: %2").arg(
            withoutMnemonic(setting->label),
            translated(choiceOf(*setting, setting->read(m_sampling)).label).toLower());
    if (m_offer.budget && m_sampling.thinkingBudget > 0)
        words << tr("at most %1 tokens").arg(QLocale().toString(m_sampling.thinkingBudget));
    else if (m_offer.budget && words.isEmpty())
        words << tr("Thinking: no limit");
    setText(words.join(QStringLiteral(" · ")));
    setAccessibleName(text());
    setVisible(!words.isEmpty());
}

} // namespace fireside
