#include "ui/backend/device_report_text.h"

#include "app/settings/setting_values.h"
#include "ui/backend/number_text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>
#include <QSysInfo>
#include <QTextStream>

namespace fireside {

namespace {

class ReportTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::DeviceReportText)
};

// Whoever reads reports of bugs reads them in one language, with its numbers.

QString plainOutcome(CheckStatus::Outcome outcome)
{
    return outcome == CheckStatus::Passed   ? QStringLiteral("passed")
           : outcome == CheckStatus::Failed ? QStringLiteral("failed")
                                            : QStringLiteral("not reached");
}

QString plainBytes(qint64 bytes)
{
    return bytes < 0 ? QStringLiteral("unknown") : bytesText(bytes, QLocale::c());
}

QString plainMemory(const DeviceStatus &device)
{
    return QStringLiteral("%1, free: %2")
        .arg(plainBytes(device.memoryTotal), plainBytes(device.memoryFree));
}

QString plainRate(double tokensPerSecond)
{
    return tokensPerSecond > 0 ? QString::number(tokensPerSecond, 'f', 1) + QStringLiteral(" tok/s")
                               : QStringLiteral("unknown");
}

void writeIndented(QTextStream &out, const QString &label, const QString &text)
{
    if (text.isEmpty())
        return;
    QString indented = text.trimmed();
    indented.replace(QLatin1Char('\n'), QStringLiteral("\n        "));
    out << "      " << label << ": " << indented << '\n';
}

void writeDevice(QTextStream &out, const DeviceStatus &device)
{
    out << '\n'
        << device.name << " (" << device.id
        << "): " << (device.available ? "available" : "not available") << '\n';
    out << "  " << device.reason << '\n';
    out << "  Memory: " << plainMemory(device) << '\n';
    for (const auto &[name, value] : device.properties)
        out << "  " << name << ": " << value << '\n';
    if (!device.checks.isEmpty())
        out << "  Checks:\n";
    for (const CheckStatus &check : device.checks) {
        out << "    [" << plainOutcome(check.outcome) << "] " << check.name;
        if (!check.detail.isEmpty())
            out << ": " << check.detail;
        out << '\n';
        writeIndented(out, QStringLiteral("error"), check.rawError);
        writeIndented(out, QStringLiteral("advice"), check.advice);
    }
}

/// What was asked about places, where it is not as usual: "--device vulkan:0=8, --strict".
void writePlaces(QTextStream &out, const PlacementSettings &placement)
{
    QStringList texts;
    for (const SettingOf<PlacementSettings> &setting : PlacementSettings::table()) {
        const SettingValue value = setting.read(placement);
        if (value == setting.read(PlacementSettings()))
            continue;
        const QVariant shown = toVariant(value);
        const QString option = QLatin1String(setting.option);
        const QString words = shown.typeId() == QMetaType::QStringList
                                  ? shown.toStringList().join(QLatin1Char(' '))
                                  : shown.toString();
        texts.append(std::holds_alternative<bool>(value) ? option
                                                         : option + QLatin1Char(' ') + words);
    }
    if (!texts.isEmpty())
        out << "  " << QStringLiteral("And: %1").arg(texts.join(QStringLiteral(", "))) << '\n';
}

void writeAsked(QTextStream &out, const LoadSettings &asked)
{
    const auto text = [](const std::string &word) { return QString::fromStdString(word); };
    out << "  "
        << QStringLiteral("Asked for: backend %1, context %2, threads %3, context memory %4, "
                          "weights %5")
               .arg(text(asked.backend))
               .arg(asked.context)
               .arg(asked.threads)
               .arg(text(asked.kvType), text(asked.quantize))
        << '\n';
    writePlaces(out, asked.placement);
}

void writeFailure(QTextStream &out, const LoadFailure &failure)
{
    const QFileInfo file(failure.path);
    QString reason = failure.message; // may name another part of the model
    reason.remove(file.path() + QLatin1Char('/'));
    out << "\nLoad that " << (failure.cancelled ? "was cancelled" : "failed") << ": "
        << file.fileName() << ", " << failure.at.toUTC().toString(Qt::ISODate) << '\n';
    if (!failure.cancelled)
        out << "  Reason: " << reason << '\n';
    writeAsked(out, failure.asked);
}

QString purposeText(const QString &purpose)
{
    return purpose == QLatin1String("weights")   ? QStringLiteral("weights")
           : purpose == QLatin1String("context") ? QStringLiteral("context")
           : purpose == QLatin1String("states")  ? QStringLiteral("recurrent states")
           : purpose == QLatin1String("scratch") ? QStringLiteral("working memory")
                                                 : QStringLiteral("other");
}

void writeUse(QTextStream &out, const DeviceUseStatus &use)
{
    out << "  " << QStringLiteral("Memory on %1 (%2), predicted and taken:").arg(use.name, use.id)
        << '\n';
    for (const DeviceUseStatus::Share &share : use.shares)
        if (share.planned > 0 || share.taken > 0)
            out << "    " << purposeText(share.purpose) << ": " << plainBytes(share.planned) << ", "
                << plainBytes(share.taken) << '\n';
    if (use.driver >= 0)
        out << "    " << QStringLiteral("as the driver counts: %1").arg(plainBytes(use.driver))
            << '\n';
}

void writeOption(QTextStream &out, const PlacementOptionStatus &option)
{
    out << "    [" << (option.chosen ? 'x' : ' ') << "] " << option.sentence << '\n';
    const auto write = [&](const QString &what, const SpeedStatus &speed) {
        if (speed.generate > 0)
            out << "        " << what.arg(plainRate(speed.generate), plainRate(speed.prompt))
                << '\n';
    };
    write(QStringLiteral("expected: answer %1, prompt %2"), option.predicted);
    write(QStringLiteral("measured: answer %1, prompt %2"), option.measured);
}

void writeModel(QTextStream &out, const ModelStatus &model)
{
    out << '\n'
        << QStringLiteral("Loaded model: %1 (%2)").arg(model.name, QFileInfo(model.path).fileName())
        << '\n';
    out << "  " << model.architecture << ", " << model.quantisation << ", "
        << QStringLiteral("%1 parameters, file of %2")
               .arg(parametersText(model.parameters, QLocale::c()), plainBytes(model.fileBytes))
        << '\n';
    out << "  " << QStringLiteral("Runs on: %1 (%2)").arg(model.backend, model.device) << '\n';
    out << "  " << QStringLiteral("Reason: %1").arg(model.reason) << '\n';
    out << "  " << QStringLiteral("Placement: %1").arg(model.placement) << '\n';
    out << "  "
        << QStringLiteral("Context: %1 tokens (trained for %2)")
               .arg(model.context)
               .arg(model.contextTrained)
        << '\n';
    out << "  "
        << QStringLiteral("Predicted memory: %1 (weights %2, context %3)")
               .arg(plainBytes(model.plannedBytes), plainBytes(model.weightBytes),
                    plainBytes(model.kvBytes))
        << '\n';
    writeAsked(out, model.asked);
    for (const DeviceUseStatus &use : model.devices)
        writeUse(out, use);
    if (!model.options.isEmpty())
        out << "  Every way to run it:\n";
    for (const PlacementOptionStatus &option : model.options)
        writeOption(out, option);
}

} // namespace

QString outcomeText(CheckStatus::Outcome outcome)
{
    switch (outcome) {
    case CheckStatus::Passed:
        return ReportTexts::tr("passed");
    case CheckStatus::Failed:
        return ReportTexts::tr("failed");
    case CheckStatus::NotReached:
        break;
    }
    return ReportTexts::tr("not reached");
}

QString memoryText(const DeviceStatus &device)
{
    if (device.memoryTotal < 0 && device.memoryFree < 0)
        return ReportTexts::tr("unknown");
    if (device.memoryFree < 0)
        return ReportTexts::tr("%1, free part unknown").arg(bytesText(device.memoryTotal));
    if (device.memoryTotal < 0)
        return ReportTexts::tr("%1 free, total unknown").arg(bytesText(device.memoryFree));
    return ReportTexts::tr("%1, %2 of it free")
        .arg(bytesText(device.memoryTotal), bytesText(device.memoryFree));
}

QString deviceReportText(const QList<DeviceStatus> &devices, const ModelStatus *model,
                         const LoadFailure &failure)
{
    QString text;
    QTextStream out(&text);
    out << QStringLiteral("Fireside %1\n").arg(QCoreApplication::applicationVersion());
    out << QStringLiteral("System: %1, %2, Qt %3")
               .arg(QSysInfo::prettyProductName(), QSysInfo::currentCpuArchitecture(),
                    QString::fromLatin1(qVersion()))
        << '\n';
    if (devices.isEmpty())
        out << "\nThe devices have not been examined yet.\n";
    for (const DeviceStatus &device : devices)
        writeDevice(out, device);
    if (model)
        writeModel(out, *model);
    else
        out << "\nNo model is loaded.\n";
    if (!failure.message.isEmpty())
        writeFailure(out, failure);
    return text;
}

} // namespace fireside
