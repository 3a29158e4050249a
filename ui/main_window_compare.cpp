// The window while two models answer side by side.
#include "app/chat/comparison.h"
#include "app/hub/network.h"
#include "app/models/model_library.h"
#include "app/settings/app_settings.h"
#include "ui/chat/chat_panel.h"
#include "ui/chat/link_dialog.h"
#include "ui/compare/comparison_view.h"
#include "ui/main_window.h"
#include "ui/models/model_picker.h"

#include <QAction>

#include <utility>

namespace fireside {

void MainWindow::connectComparison()
{
    connect(m_middle, &ComparisonView::firstModelRequested, this, &MainWindow::showModels);
    connect(m_middle, &ComparisonView::secondModelRequested, this, &MainWindow::chooseSecondModel);
    connect(m_middle, &ComparisonView::closeRequested, this, [this] { compare(false); });
    // Later: the buttons go with what they end.
    connect(
        m_middle, &ComparisonView::firstKept, this,
        [this] {
            m_comparison->keepFirst();
            compare(false);
        },
        Qt::QueuedConnection);
    connect(m_middle, &ComparisonView::secondKept, this, &MainWindow::keepSecond,
            Qt::QueuedConnection);
}

void MainWindow::compare(bool on)
{
    if (on == (m_comparison != nullptr))
        return;
    if (on) {
        auto engine = m_makeEngine ? m_makeEngine() : std::make_unique<EngineService>();
        m_comparison = std::make_unique<Comparison>(m_chat, m_engine, m_network.connections(),
                                                    std::move(engine));
        if (m_servers)
            m_comparison->secondServers().servers().follow(m_servers->servers());
        connect(m_comparison.get(), &Comparison::changed, this, &MainWindow::updateActions);
        m_middle->begin(*m_comparison);
        connect(m_middle->secondPanel(), &ChatPanel::linkActivated, this,
                [this](const QString &address) {
                    askToOpenLink(this, address, m_network.connections());
                });
        connect(m_middle->secondPanel(), &ChatPanel::modelsRequested, this,
                &MainWindow::chooseSecondModel);
        connect(m_middle->secondPanel(), &ChatPanel::largerContextRequested, this,
                [this](int tokens) {
                    const ModelStatus model = m_comparison->secondEngine().model();
                    m_comparison->load(model.path, withRoomFor(tokens, model));
                });
    } else {
        delete m_secondPicker.data();
        m_middle->end();
        m_comparison.reset();
    }
    if (m_compareAction)
        m_compareAction->setChecked(on);
    updateActions();
}

/// The same picker, for the other engine.
void MainWindow::chooseSecondModel()
{
    if (!m_comparison)
        return;
    if (!m_secondPicker) {
        m_secondPicker =
            new ModelPicker(m_library, m_comparison->secondEngine(), m_settings, m_network, this);
        m_secondPicker->setAttribute(Qt::WA_DeleteOnClose);
        m_secondPicker->setWindowTitle(tr("The second model"));
        m_secondPicker->setServers(m_comparison->secondServers());
        m_comparison->secondServers().refresh();
        connect(m_secondPicker, &ModelPicker::loadRequested, m_comparison.get(),
                [this](const QString &path, const LoadSettings &settings) {
                    whenRepliesMayEnd(m_comparison->secondEngine(), path, [this, path, settings] {
                        if (m_comparison) // else it was ended meanwhile
                            m_comparison->load(path, settings);
                    });
                });
    }
    m_secondPicker->open();
    m_secondPicker->raise();
}

/// Its model takes the first one's place.
void MainWindow::keepSecond()
{
    if (!m_comparison)
        return;
    const std::optional<ModelStatus> model = m_comparison->keepSecond();
    compare(false);
    if (model && model->path != m_engine.model().path)
        load(model->path, model->asked);
}

} // namespace fireside
