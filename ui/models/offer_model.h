#pragma once
#include "app/hub/hub_client.h"
#include "app/models/model_library.h"

#include <QAbstractTableModel>

namespace fireside {

/// A model that can be downloaded.
struct ModelOffer
{
    HubModel model;
    ModelEntry entry;   // an estimate, or what its header says
    bool exact = false; // the latter
    bool operator==(const ModelOffer &) const = default;
};

/// The models of a repository, smallest first, each with whether it will fit.
class OfferModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Fit, Size, Quantisation, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setOffers(const QList<ModelOffer> &offers);
    void setOffer(int row, const ModelOffer &offer);
    const ModelOffer &at(int row) const { return m_offers.at(row); }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const ModelOffer &offer, int column) const;

    QList<ModelOffer> m_offers;
};

/// "model-Q4_K_M.gguf, 3 parts", or what a folder is called.
QString offerName(const HubModel &model);
/// The verdict, and whether it is an estimate.
QString offerFit(const ModelOffer &offer);

} // namespace fireside
