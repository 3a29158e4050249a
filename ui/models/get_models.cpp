#include "ui/models/get_models.h"

#include "app/hub/model_address.h"
#include "app/hub/network.h"
#include "app/models/model_estimate.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/engine_text.h"
#include "app/settings/app_settings.h"
#include "ui/backend/number_text.h"
#include "ui/chat/link_dialog.h"
#include "ui/models/download_texts.h"
#include "ui/models/offer_model.h"
#include "ui/models/repository_model.h"
#include "ui/style/direction.h"

#include <QCheckBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

using State = DownloadStatus::State;

bool isSplitOrFolder(const HubModel &model)
{
    return model.files.size() > 1;
}

QString factsText(const ModelEntry &entry)
{
    QStringList facts;
    if (entry.fileBytes > 0)
        facts += bytesText(entry.fileBytes);
    if (!entry.quantisation.isEmpty())
        facts += entry.quantisationHint.isEmpty()
                     ? entry.quantisation
                     : QStringLiteral("%1: %2").arg(entry.quantisation, entry.quantisationHint);
    if (entry.parameters > 0)
        facts += GetModels::tr("%1 parameters").arg(parametersText(entry.parameters));
    if (!entry.architecture.isEmpty())
        facts += entry.architecture;
    if (entry.contextTrained > 0)
        facts += GetModels::tr("trained for %1 tokens").arg(countText(entry.contextTrained));
    return facts.join(QStringLiteral(" · "));
}

} // namespace

// The widgets are built in get_models_layout.cpp; this file is what they do.

void GetModels::connectHub()
{
    connect(&m_search, &HubClient::found, this, &GetModels::showFound);
    connect(&m_list, &HubClient::listed, this, &GetModels::showListing);
    for (HubClient *client : {&m_search, &m_list}) {
        connect(client, &HubClient::failed, this, [this](const QString &problem) {
            say(withFullStop(asSentence(problem)), false, true);
        });
    }
    connect(&m_header, &HeaderPreview::described, this, &GetModels::takeHeader);
    connect(&m_header, &HeaderPreview::failed, this, [this](const QString &problem) {
        m_headerRow = -1;
        m_headerProblem = problem;
        showChosen();
    });
    connect(&m_network, &Network::accessChanged, this, [this] {
        const HubAccess &access = m_network.access();
        m_search.setAccess(access.address, access.token);
        m_list.setAccess(access.address, access.token);
        m_busy->hide();
    });
    DownloadList &downloads = m_network.downloads();
    connect(&downloads, &DownloadList::listChanged, this, &GetModels::showActions);
    connect(&downloads, &DownloadList::statusChanged, this, &GetModels::showActions);
    connect(m_page, &QPushButton::clicked, this, [this] {
        QUrl page = m_network.access().address;
        page.setPath(page.path() + QLatin1Char('/') + m_listing.repository);
        askToOpenLink(window(), page.toString(), m_network.connections());
    });
}

void GetModels::focusSearch()
{
    m_words->setFocus();
    m_words->selectAll();
}

bool GetModels::eventFilter(QObject *watched, QEvent *event)
{
    // From the search field straight into the lists.
    if (watched == m_words && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_PageDown) {
            QTreeView *list = m_repositories->rowCount() > 0 ? m_found : m_models;
            list->setFocus(Qt::TabFocusReason);
            if (!list->currentIndex().isValid() && list->model()->rowCount() > 0)
                list->setCurrentIndex(list->model()->index(0, 0));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void GetModels::say(const QString &text, bool busy, bool problem)
{
    m_state->setText(text);
    m_state->setProperty("role", problem ? "error" : "muted");
    m_state->style()->unpolish(m_state);
    m_state->style()->polish(m_state);
    m_busy->setVisible(busy);
}

void GetModels::ask()
{
    m_search.cancel();
    m_list.cancel();
    const ModelAddress address = readModelAddress(m_words->text(), m_network.access().address);
    switch (address.kind) {
    case ModelAddress::Kind::Wrong:
        return say(withFullStop(asSentence(address.text)), false, true);
    case ModelAddress::Kind::Words:
        say(tr("Asking %1…").arg(m_network.access().address.host()), true);
        return m_search.search(address.text, m_anyFormat->isChecked());
    case ModelAddress::Kind::Repository:
        m_repositories->setRepositories({});
        return listRepository(address.repository, address.wish);
    case ModelAddress::Kind::File:
        m_repositories->setRepositories({});
        return showFile(address.request);
    }
}

void GetModels::showFound(const QList<HubRepository> &repositories)
{
    m_repositories->setRepositories(repositories);
    showOffers({}, -1);
    if (repositories.isEmpty()) {
        say(m_anyFormat->isChecked()
                ? tr("Nothing was found.")
                : tr("Nothing was found. “Not only GGUF” searches models in other formats, too."));
        return;
    }
    say(tr("Repositories that were found: %1, the most downloaded first.")
            .arg(countText(repositories.size())));
    if (m_words->hasFocus())
        m_found->setFocus(Qt::OtherFocusReason);
    m_found->setCurrentIndex(m_repositories->index(0, 0));
}

void GetModels::listRepository(const QString &repository, const QString &wish)
{
    m_wish = wish;
    say(tr("Asking for the files of %1…").arg(repository), true);
    m_list.list(repository);
}

void GetModels::showListing(const HubListing &listing)
{
    m_listing = listing;
    m_file = {};
    QList<ModelOffer> offers;
    for (const HubModel &model : listing.models) {
        const RemoteModelFacts facts{model.name.isEmpty() ? listing.repository : model.name,
                                     model.bytes(),
                                     listing.parameters,
                                     listing.contextTrained,
                                     listing.architecture,
                                     listing.license};
        offers.append({model, estimateModel(facts, m_settings.load(), m_engine.devices()), false});
    }
    const int wished = m_wish.isEmpty() ? -1 : chosenModel(listing.models, m_wish);
    if (offers.isEmpty())
        say(tr("%1 holds no model that Fireside reads: no GGUF files, and no folder of "
               "safetensors with its config.json.")
                .arg(listing.repository));
    else if (!m_wish.isEmpty() && wished < 0)
        say(tr("%1 has no single model “%2”.").arg(listing.repository, m_wish), false, true);
    else
        say(tr("%1: models: %2, the smallest first.")
                .arg(listing.repository, countText(offers.size())));
    showOffers(offers, wished);
    if (m_words->hasFocus() && m_repositories->rowCount() == 0 && !offers.isEmpty())
        m_models->setFocus(Qt::OtherFocusReason);
}

/// An address that is none of the Hub: one model, of which only its name is known.
void GetModels::showFile(const DownloadRequest &request)
{
    m_listing = {};
    m_file = request;
    m_file.folder = ModelLibrary::firesideFolder();
    HubModel model;
    model.name = request.title;
    for (const RemoteFile &file : request.files)
        model.files.append({file.name, 0, {}});
    const RemoteModelFacts facts{model.name, -1, 0, 0, {}, {}};
    showOffers({{model, estimateModel(facts, m_settings.load(), m_engine.devices()), false}}, 0);
    say(tr("A file of %1.").arg(request.files.first().url.host()));
    m_models->setFocus(Qt::OtherFocusReason);
}

/// chosen −1: the largest that fits, which is the best of them.
void GetModels::showOffers(const QList<ModelOffer> &offers, int chosen)
{
    m_header.cancel();
    m_headerRow = -1;
    m_offers->setOffers(offers);
    for (int row = 0; chosen < 0 && row < offers.size(); ++row) {
        const ModelOffer &offer = offers[offers.size() - 1 - row];
        if (offer.model.problem.isEmpty() && offer.entry.fit == ModelEntry::Fits)
            chosen = static_cast<int>(offers.size()) - 1 - row;
    }
    if (!offers.isEmpty())
        m_models->setCurrentIndex(m_offers->index(std::max(0, chosen), 0));
    showChosen();
}

int GetModels::chosenRow() const
{
    const QModelIndex now = m_models->currentIndex();
    return now.isValid() && now.row() < m_offers->rowCount() ? now.row() : -1;
}

DownloadRequest GetModels::requestOf(const ModelOffer &offer, bool withProjector) const
{
    return m_listing.repository.isEmpty()
               ? m_file
               : m_list.requestFor(m_listing, offer.model, ModelLibrary::firesideFolder(),
                                   withProjector);
}

QByteArray GetModels::tokenFor(const DownloadRequest &request) const
{
    return !request.files.isEmpty() && m_network.isHub(request.files.first().url)
               ? m_network.access().token
               : QByteArray();
}

void GetModels::showChosen()
{
    QStringList about;
    if (!m_listing.repository.isEmpty()) {
        about += m_listing.repository;
        about += m_listing.license.isEmpty() ? tr("no licence named")
                                             : tr("licence: %1").arg(m_listing.license);
    }
    QString text = about.join(QStringLiteral(" · "));
    if (m_listing.gated)
        text += QLatin1Char('\n') +
                tr("Its authors want their terms to be accepted first, on its page, and an access "
                   "token of the account that did so.");
    const int row = chosenRow();
    for (QWidget *widget : {static_cast<QWidget *>(m_about), static_cast<QWidget *>(m_page)})
        widget->setVisible(row >= 0 && !m_listing.repository.isEmpty());
    m_token->setVisible(row >= 0 && m_listing.gated);
    m_about->setText(text);
    for (QLabel *label : {m_name, m_fit, m_facts, m_place})
        label->setVisible(row >= 0);
    if (row < 0) {
        m_projector->hide();
        return showActions();
    }
    const ModelOffer &offer = m_offers->at(row);
    m_name->setText(offerName(offer.model));
    QString fit = offerFit(offer);
    if (m_headerRow == row)
        fit += QLatin1Char('\n') + tr("Its header is being read, to know exactly…");
    else if (!m_headerProblem.isEmpty())
        fit += QLatin1Char('\n') + tr("Its header could not be read: %1.").arg(m_headerProblem);
    m_fit->setText(fit);
    m_facts->setText(factsText(offer.entry));
    m_projector->setVisible(offer.model.projector.has_value());
    if (offer.model.projector)
        m_projector->setText(tr("Also its part for &pictures (mmproj, %1); Fireside does not use "
                                "it yet")
                                 .arg(bytesText(offer.model.projector->bytes)));
    showActions();
}

/// What the button does, and what is in its way.
void GetModels::showActions()
{
    const int row = chosenRow();
    m_problem->hide();
    m_download->setText(tr("&Download"));
    m_download->setEnabled(false);
    if (row < 0)
        return;
    const ModelOffer &offer = m_offers->at(row);
    const DownloadRequest request = requestOf(offer, m_projector->isChecked());
    const qint64 free = freeBytesAt(request.folder);
    QString place = tr("It goes into %1.").arg(pathText(request.folder));
    if (free >= 0)
        place += QLatin1Char(' ') + tr("%1 are free there.").arg(bytesText(free));
    m_place->setText(place + QLatin1Char(' ') + checkText(request));
    if (!offer.model.problem.isEmpty())
        return;
    const DownloadItem *item = m_network.downloads().itemFor(request);
    const bool there = isComplete(request);
    m_download->setEnabled(true);
    if (there && (!item || item->status.state == State::Done)) {
        m_place->setText(tr("It is on this computer, in %1.").arg(pathText(request.folder)));
        m_download->setText(tr("&Load"));
        return;
    }
    if (item && item->status.state != State::Done) {
        m_place->setText(tr("In the list of downloads: %1").arg(downloadState(*item)));
        m_download->setText(tr("Show the &download"));
        return;
    }
    const QString problem = m_network.downloads().spaceProblem(request);
    m_download->setEnabled(problem.isEmpty());
    m_problem->setText(withFullStop(asSentence(problem)));
    m_problem->setVisible(!problem.isEmpty());
}

void GetModels::readHeader()
{
    const int row = chosenRow();
    if (row < 0 || m_network.offline() || m_offers->at(row).exact ||
        !m_offers->at(row).model.problem.isEmpty())
        return;
    m_headerRow = row;
    const DownloadRequest request = requestOf(m_offers->at(row), false);
    m_header.read(request, tokenFor(request), m_settings.load(), m_engine.devices());
    showChosen();
}

void GetModels::takeHeader(const ModelEntry &entry)
{
    const int row = std::exchange(m_headerRow, -1);
    if (row < 0 || row >= m_offers->rowCount())
        return;
    ModelOffer offer = m_offers->at(row);
    const QString named = offer.entry.quantisation;
    offer.entry = entry;
    offer.entry.path.clear(); // was a temporary one
    if (offer.entry.quantisation.isEmpty())
        offer.entry.quantisation = named;
    offer.exact = true;
    m_offers->setOffer(row, offer);
    showChosen();
}

void GetModels::download()
{
    const int row = chosenRow();
    if (row < 0 || !m_download->isEnabled())
        return;
    const ModelOffer &offer = m_offers->at(row);
    DownloadRequest request = requestOf(offer, m_projector->isChecked());
    const DownloadItem *item = m_network.downloads().itemFor(request);
    if (item && item->status.state != State::Done)
        return emit downloadsRequested();
    if (isComplete(request))
        return emit loadRequested(modelPathOf(request));
    if (!isSplitOrFolder(offer.model) && offer.exact && request.files.first().size < 0)
        request.files.first().size = offer.entry.fileBytes; // the header's reply said so
    const bool withToken = m_network.isHub(request.files.first().url);
    const QString problem = m_network.downloads().add(request, withToken);
    showActions();
    if (problem.isEmpty())
        return emit downloadsRequested();
    m_problem->setText(withFullStop(asSentence(problem)));
    m_problem->show();
}

} // namespace fireside
