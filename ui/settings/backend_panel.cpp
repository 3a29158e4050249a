#include "ui/settings/backend_panel.h"

#include "app/models/model_library.h"
#include "app/remote/remote_server.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/engine_text.h"
#include "app/settings/app_settings.h"
#include "ui/backend/device_details_dialog.h"
#include "ui/settings/device_rows.h"
#include "ui/settings/load_form.h"
#include "ui/settings/measure_row.h"
#include "ui/settings/placement_view.h"
#include "ui/style/direction.h"
#include "ui/style/icons.h"
#include "ui/style/page_wheel.h"

#include <QComboBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {

namespace {

constexpr int kSignSize = 18;

QLabel *wrappedLabel(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

QLabel *heading(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setProperty("role", "heading");
    label->setContentsMargins(0, 12, 0, 0);
    return label;
}

/// The graphics processor that models go to first, or why there is none.
struct CardChoice
{
    const DeviceStatus *device = nullptr;
    QString whyNot;
};

CardChoice cardOf(const PlacementSettings &placement, const QList<DeviceStatus> &devices)
{
    const auto isCard = [](const DeviceStatus &device) {
        return device.kind == QLatin1String("vulkan");
    };
    CardChoice choice;
    bool any = false;
    for (const DeviceRow &row : deviceRows(placement.devices, devices)) {
        const auto device =
            std::find_if(devices.begin(), devices.end(), [&](const DeviceStatus &each) {
                return each.id.toStdString() == row.choice.id;
            });
        if (row.isCpu || !row.present || device == devices.end())
            continue;
        any = true;
        if (row.used && (!choice.device || (choice.device->software && !device->software)))
            choice.device = &*device;
    }
    const auto rejected = std::find_if(devices.begin(), devices.end(), isCard);
    if (any && !choice.device)
        choice.whyNot = BackendPanel::tr("no graphics processor is among the devices to use");
    else if (any && placement.cardLayers == 0)
        choice = {nullptr, BackendPanel::tr("no layers on graphics processors were asked for")};
    else if (rejected != devices.end())
        choice.whyNot = engineText(rejected->reason);
    else
        choice.whyNot = BackendPanel::tr("no graphics processor was found");
    return choice;
}

void setRole(QWidget *widget, const char *role)
{
    widget->setProperty("role", role);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

} // namespace

BackendPanel::BackendPanel(AppSettings &settings, EngineService &engine, QWidget *parent)
    : QWidget(parent)
    , m_settings(settings)
    , m_engine(engine)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);

    layout->addWidget(buildScope());
    m_form = new LoadForm(this);
    m_form->setPlacesShown(true);
    layout->addWidget(m_form);
    m_meaning = wrappedLabel({}, this);
    m_meaning->setObjectName(QStringLiteral("backendMeaning"));
    layout->addWidget(m_meaning);
    buildReload();
    layout->addWidget(m_reloadCard);
    m_fitHeading = heading({}, this);
    layout->addWidget(m_fitHeading);
    m_fit = new PlacementView(engine, this);
    layout->addWidget(m_fit);
    m_measure = new MeasureRow(engine, this);
    layout->addWidget(m_measure);

    layout->addWidget(heading(tr("Devices of this computer"), this));
    m_devices = new QVBoxLayout;
    m_devices->setSpacing(8);
    layout->addLayout(m_devices);
    layout->addStretch(1);

    connect(m_form, &LoadForm::changed, this, &BackendPanel::store);
    connect(&settings, &AppSettings::loadChanged, this, &BackendPanel::showSettings);
    connect(&engine, &EngineService::devicesChanged, this, &BackendPanel::showDevices);
    connect(&engine, &EngineService::stateChanged, this, &BackendPanel::showReload);
    connect(&engine, &EngineService::loaded, this, &BackendPanel::showSettings);
    // With its settings still here they can be mended.
    connect(&engine, &EngineService::loadFailed, this, &BackendPanel::showSettings);
    showDevices(engine.devices());
    // What is here is what the model runs with.
    if (!model().isEmpty() && settings.loadOf(model()) != settings.load())
        m_scope->setCurrentIndex(1);
    showSettings();
}

QWidget *BackendPanel::buildScope()
{
    m_scopeRow = new QWidget(this);
    auto *layout = new QHBoxLayout(m_scopeRow);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *label = new QLabel(tr("These are &for:"), m_scopeRow);
    m_scope = new QComboBox(m_scopeRow);
    PageWheel::leaveToPage(m_scope);
    m_scope->setObjectName(QStringLiteral("backendScope"));
    m_scope->setAccessibleName(tr("What these settings are for"));
    m_scope->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_scope->addItem(tr("Every model"));
    m_scope->addItem({});
    label->setBuddy(m_scope);
    layout->addWidget(label);
    layout->addWidget(m_scope, 1);
    connect(m_scope, &QComboBox::currentIndexChanged, this, &BackendPanel::showSettings);
    return m_scopeRow;
}

QString BackendPanel::model() const
{
    if (m_engine.hasModel())
        return m_engine.model().path;
    if (const QString &failed = m_engine.loadFailure().path; !failed.isEmpty())
        return failed;
    const QString last = m_settings.lastModel();
    return last.isEmpty() ? ModelLibrary::starterModelPath() : last;
}

QString BackendPanel::modelName() const
{
    return m_engine.hasModel() ? m_engine.model().name : ModelLibrary::displayName(model());
}

bool BackendPanel::ofModel() const
{
    return m_scope->currentIndex() == 1 && !model().isEmpty();
}

LoadSettings BackendPanel::stored() const
{
    return ofModel() ? m_settings.loadOf(model()) : m_settings.load();
}

void BackendPanel::store(const LoadSettings &settings)
{
    if (!ofModel())
        return m_settings.setLoad(settings); // told by loadChanged
    m_settings.setLoadOf(model(), settings);
    showSettings();
}

void BackendPanel::showSettings()
{
    m_scopeRow->setVisible(!model().isEmpty());
    if (!model().isEmpty())
        m_scope->setItemText(1, tr("“%1” alone").arg(modelName()));
    else
        m_scope->setCurrentIndex(0);
    m_form->setDefaults(ofModel() ? m_settings.load() : LoadSettings{},
                        ofModel() ? tr("&Use those of every model") : tr("&Use defaults"));
    if (m_form->settings() != stored())
        m_form->setSettings(stored());
    showChoice();
    showFit();
}

void BackendPanel::showFit()
{
    const QString path = model();
    m_fitHeading->setText(tr("Will it fit: %1").arg(ModelLibrary::displayName(path)));
    m_fitHeading->setVisible(!path.isEmpty());
    m_fit->ask(path, stored());
    m_measure->setModel(path, stored());
}

void BackendPanel::buildReload()
{
    m_reloadCard = new QFrame(this);
    m_reloadCard->setProperty("role", "sunken");
    auto *layout = new QHBoxLayout(m_reloadCard);
    m_reloadText = wrappedLabel({}, m_reloadCard);
    m_reloadText->setObjectName(QStringLiteral("reloadText"));
    m_reload = new QPushButton(icon(IconName::Refresh), tr("Reload model &now"), m_reloadCard);
    m_reload->setObjectName(QStringLiteral("reloadNow"));
    m_reload->setAutoDefault(false);
    connect(m_reload, &QPushButton::clicked, this, [this] {
        const LoadSettings wanted = stored();
        const QString path = model();
        m_settings.setLoadOf(path, wanted);
        m_engine.loadModel(path, wanted);
    });
    layout->addWidget(m_reloadText, 1);
    layout->addWidget(m_reload);
}

QWidget *BackendPanel::reloadBar() const
{
    return m_reloadCard;
}

BackendPanel::Meaning BackendPanel::meaningOf(const LoadSettings &settings,
                                              const QList<DeviceStatus> &devices)
{
    if (devices.isEmpty())
        return {tr("This computer's devices are still being examined."), false};
    if (settings.backend == "cpu")
        return {tr("Models run on the processor, even when a graphics processor could take them."),
                false};
    const CardChoice card = cardOf(settings.placement, devices);
    const int layers = settings.placement.cardLayers;
    if (card.device && !card.device->software && layers > 0)
        return {
            tr("Up to %1 of a model's layers run on graphics processors, the others on the CPU.")
                .arg(layers),
            false};
    if (settings.backend == "vulkan") {
        if (card.device)
            return {tr("Models run on %1. A model that does not fit is an error, not a silent "
                       "change to the CPU.")
                        .arg(card.device->name),
                    false};
        return {tr("Vulkan cannot be used on this computer: %1.\nWith this choice no model will "
                   "load. Choose "
                   "Automatic to run on the CPU meanwhile.")
                    .arg(card.whyNot),
                true};
    }
    if (card.device && card.device->software)
        return {tr("Models run on the CPU: %1 is a software device, slower than the CPU itself.")
                    .arg(card.device->name),
                false};
    if (card.device)
        return {tr("Models that fit run on %1, others on the CPU.").arg(card.device->name), false};
    return {tr("Models run on the CPU, because %1.").arg(card.whyNot), false};
}

void BackendPanel::showChoice()
{
    const Meaning meaning = meaningOf(stored(), m_deviceList);
    m_meaning->setText(meaning.warning ? tr("Warning: %1").arg(meaning.text) : meaning.text);
    setRole(m_meaning, meaning.warning ? "warning" : "muted");
    showReload();
}

void BackendPanel::showReload()
{
    const EngineState state = m_engine.state();
    const bool loading = state == EngineState::Loading;
    // A server's model has no part in these settings.
    const bool remote = parseRemotePath(model()).isRemote();
    const bool differs = !remote && m_engine.hasModel() && m_engine.model().asked != stored();
    const bool missing = !remote && state == EngineState::NoModel && !model().isEmpty();
    const bool measuring = m_measure->measuring(); // says so itself, and nothing is to move
    if (window()->focusWidget() == m_reload && (loading || !(differs || missing)))
        m_form->focusEnd(); // else the page would follow the keys to wherever is next
    m_reloadCard->setVisible((loading && !measuring && !remote) || differs || missing);
    m_reload->setText(missing ? tr("Load model &now") : tr("Reload model &now"));
    if (loading) {
        m_reloadText->setText(tr("Loading the model…"));
        m_reload->setEnabled(false);
        return;
    }
    const Meaning meaning = meaningOf(stored(), m_deviceList);
    if (missing) {
        m_reload->setEnabled(!meaning.warning);
        m_reloadText->setText(
            tr("“%1” is not loaded. Load it with these settings.").arg(modelName()));
        return;
    }
    if (!differs)
        return;
    m_reload->setEnabled(!meaning.warning);
    m_reloadText->setText(
        meaning.warning
            ? tr("“%1” keeps running as it was loaded. Reloading it with this choice would fail.")
                  .arg(m_engine.model().name)
        : state == EngineState::Replying
            ? tr("“%1” was loaded with other settings. Reloading stops the running reply; its text "
                 "stays.")
                  .arg(m_engine.model().name)
            : tr("“%1” was loaded with other settings. Reload it to use these.")
                  .arg(m_engine.model().name));
}

void BackendPanel::showDevices(const QList<DeviceStatus> &devices)
{
    m_deviceList = devices;
    m_form->setDevices(devices);
    while (QLayoutItem *item = m_devices->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (devices.isEmpty())
        m_devices->addWidget(wrappedLabel(tr("Looking at this computer's processors…"), this));
    for (const DeviceStatus &device : devices)
        m_devices->addWidget(deviceRow(device));
    showChoice();
}

QWidget *BackendPanel::deviceRow(const DeviceStatus &device)
{
    auto *card = new QFrame(this);
    card->setProperty("role", "card");
    auto *layout = new QHBoxLayout(card);
    auto *sign = new QLabel(card);
    const QIcon image = device.available ? icon(IconName::Success, IconTint::Success)
                                         : icon(IconName::Warning, IconTint::Warning);
    sign->setPixmap(image.pixmap(QSize(kSignSize, kSignSize), devicePixelRatioF()));
    sign->setAccessibleName(device.available ? tr("available") : tr("not available"));
    layout->addWidget(sign, 0, Qt::AlignTop);

    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    auto *name = wrappedLabel(
        device.available ? device.name : tr("%1 – not available").arg(device.name), card);
    name->setProperty("role", "heading");
    standAtStart(*name);
    auto *reason = wrappedLabel(asSentence(engineText(device.reason)), card);
    reason->setProperty("role", "muted");
    reason->setTextInteractionFlags(Qt::TextSelectableByMouse);
    standAtStart(*reason);
    words->addWidget(name);
    words->addWidget(reason);
    layout->addLayout(words, 1);

    auto *details = new QPushButton(tr("Details…"), card);
    details->setAutoDefault(false);
    details->setAccessibleName(tr("Details of %1").arg(device.name));
    connect(details, &QPushButton::clicked, this, [this, id = device.id] { openDetails(id); });
    layout->addWidget(details, 0, Qt::AlignTop);
    return card;
}

void BackendPanel::openDetails(const QString &deviceId)
{
    auto *dialog = new DeviceDetailsDialog(m_engine, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->showDevice(deviceId);
    dialog->open();
}

} // namespace fireside
