#include "ui/settings/thinking_offer.h"

#include <QCoreApplication>

namespace fireside {
namespace {

class OfferText
{
    Q_DECLARE_TR_FUNCTIONS(fireside::ThinkingOffer)
};

} // namespace

QString thinkingRefusal(std::string_view key, const ThinkingOffer &offer)
{
    if (key == "thinking" && !offer.onOff)
        return OfferText::tr("The loaded model's chat template has no switch for thinking.");
    if (key == "reasoningEffort" && !offer.effort)
        return OfferText::tr("The loaded model's chat template knows no efforts.");
    if (key == "thinkingBudget" && !offer.budget)
        return OfferText::tr("The loaded model does not mark its thoughts, so that they cannot be "
                             "ended.");
    return {};
}

} // namespace fireside
