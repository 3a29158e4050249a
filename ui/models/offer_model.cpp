#include "ui/models/offer_model.h"

#include "app/runtime/engine_text.h"
#include "ui/backend/number_text.h"
#include "ui/models/model_list_model.h"
#include "ui/style/theme.h"

#include <QIcon>

namespace fireside {

QString offerName(const HubModel &model)
{
    const QString name =
        model.name.isEmpty() ? OfferModel::tr("all of the repository") : model.name;
    if (model.folder)
        return OfferModel::tr("%1 (safetensors)").arg(name);
    return model.files.size() > 1
               ? OfferModel::tr("%1, %2 parts").arg(name, countText(model.files.size()))
               : name;
}

QString offerFit(const ModelOffer &offer)
{
    if (!offer.model.problem.isEmpty())
        return OfferModel::tr("Cannot be downloaded: %1").arg(offer.model.problem);
    return offer.exact ? fitSentence(offer.entry)
                       : OfferModel::tr("Estimate: %1").arg(fitSentence(offer.entry));
}

void OfferModel::setOffers(const QList<ModelOffer> &offers)
{
    beginResetModel();
    m_offers = offers;
    endResetModel();
}

void OfferModel::setOffer(int row, const ModelOffer &offer)
{
    m_offers[row] = offer;
    emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

int OfferModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_offers.size());
}

int OfferModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QString OfferModel::text(const ModelOffer &offer, int column) const
{
    switch (column) {
    case Name:
        return offerName(offer.model);
    case Fit:
        return offerFit(offer);
    case Size:
        return offer.entry.fileBytes > 0 ? bytesText(offer.entry.fileBytes) : QStringLiteral("–");
    case Quantisation: {
        const QString &type = offer.entry.quantisation;
        const QString hint = engineText(offer.entry.quantisationHint);
        if (hint.isEmpty())
            return type.isEmpty() ? QStringLiteral("–") : type;
        return type.isEmpty() ? hint : QStringLiteral("%1 · %2").arg(type, hint);
    }
    default:
        return {};
    }
}

QVariant OfferModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_offers.size())
        return {};
    const ModelOffer &offer = m_offers.at(index.row());
    const bool usable = offer.model.problem.isEmpty() && offer.entry.problem.isEmpty();
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return text(offer, index.column());
    case Qt::DecorationRole:
        return index.column() == Fit ? QVariant(fitIcon(offer.entry)) : QVariant();
    case Qt::ForegroundRole:
        return usable ? QVariant() : QVariant(Theme::current().muted);
    case Qt::TextAlignmentRole:
        return index.column() == Size ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter))
                                      : QVariant();
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(
            headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
            text(offer, index.column()));
    default:
        return {};
    }
}

QVariant OfferModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && section == Size)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Model");
    case Fit:
        return tr("Will it fit?");
    case Size:
        return tr("Size");
    case Quantisation:
        return tr("Quantisation");
    default:
        return {};
    }
}

} // namespace fireside
