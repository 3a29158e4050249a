#pragma once
#include "app/hub/hub_client.h"
#include "app/models/header_preview.h"

#include <QTimer>
#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTreeView;

namespace fireside {

class AppSettings;
class EngineService;
class Network;
class OfferModel;
class RepositoryModel;
struct ModelOffer;

/// Models that are not here yet: repositories of Hugging Face are searched, their models shown
/// with whether they will fit, and downloaded; so are files at any address.
class GetModels : public QWidget
{
    Q_OBJECT
public:
    GetModels(Network &network, EngineService &engine, AppSettings &settings,
              QWidget *parent = nullptr);
    ~GetModels() override;

    void focusSearch();

signals:
    void downloadsRequested();
    void privacyRequested();
    void loadRequested(const QString &path);
    void closed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QWidget *buildSearch();
    QWidget *buildLists();
    QWidget *buildChosen();
    QWidget *buildButtons();
    void connectHub();

    void ask();
    void showFound(const QList<HubRepository> &repositories);
    void showListing(const HubListing &listing);
    void showFile(const DownloadRequest &request);
    void showOffers(const QList<ModelOffer> &offers, int chosen);
    void listRepository(const QString &repository, const QString &wish = {});
    void say(const QString &text, bool busy = false, bool problem = false);

    int chosenRow() const; // −1: none
    DownloadRequest requestOf(const ModelOffer &offer, bool withProjector) const;
    QByteArray tokenFor(const DownloadRequest &request) const;
    void showChosen();
    void readHeader();
    void takeHeader(const ModelEntry &entry);
    void showActions();
    void download();

    Network &m_network;
    EngineService &m_engine;
    AppSettings &m_settings;
    HubClient m_search, m_list;
    HeaderPreview m_header;
    HubListing m_listing;    // whose models are shown; without a repository: m_file
    DownloadRequest m_file;  // of an address that is none of the Hub
    QString m_wish;          // which model of the repository that is being listed is meant
    int m_headerRow = -1;    // of which the header is being read
    QString m_headerProblem; // of the chosen one

    RepositoryModel *m_repositories;
    OfferModel *m_offers;
    QLineEdit *m_words;
    QCheckBox *m_anyFormat;
    QPushButton *m_find;
    QLabel *m_state;
    QProgressBar *m_busy;
    QTreeView *m_found, *m_models;
    QLabel *m_about, *m_name, *m_fit, *m_facts, *m_place, *m_problem;
    QCheckBox *m_projector;
    QPushButton *m_token, *m_page, *m_download;
    QTimer m_rest; // until the choice rests
};

} // namespace fireside
