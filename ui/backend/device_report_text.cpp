#include "ui/backend/device_report_text.h"

#include "ui/backend/number_text.h"

#include <QCoreApplication>
#include <QSysInfo>
#include <QTextStream>

namespace fireside {

namespace {

class ReportTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::DeviceReportText)
};

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
        << device.name << " (" << device.id << "): "
        << (device.available ? ReportTexts::tr("available") : ReportTexts::tr("not available"))
        << '\n';
    out << "  " << device.reason << '\n';
    out << "  " << ReportTexts::tr("Memory: %1").arg(memoryText(device)) << '\n';
    for (const auto &[name, value] : device.properties)
        out << "  " << name << ": " << value << '\n';
    if (!device.checks.isEmpty())
        out << "  " << ReportTexts::tr("Checks:") << '\n';
    for (const CheckStatus &check : device.checks) {
        out << "    [" << outcomeText(check.outcome) << "] " << check.name;
        if (!check.detail.isEmpty())
            out << ": " << check.detail;
        out << '\n';
        writeIndented(out, ReportTexts::tr("error"), check.rawError);
        writeIndented(out, ReportTexts::tr("advice"), check.advice);
    }
}

void writeModel(QTextStream &out, const ModelStatus &model)
{
    out << '\n' << ReportTexts::tr("Loaded model: %1").arg(model.name) << '\n';
    out << "  " << model.architecture << ", " << model.quantisation << ", "
        << ReportTexts::tr("%1 parameters, file of %2")
               .arg(parametersText(model.parameters), bytesText(model.fileBytes))
        << '\n';
    out << "  " << ReportTexts::tr("Runs on: %1 (%2)").arg(model.backend, model.device) << '\n';
    out << "  " << ReportTexts::tr("Reason: %1").arg(model.reason) << '\n';
    out << "  " << ReportTexts::tr("Placement: %1").arg(model.placement) << '\n';
    out << "  "
        << ReportTexts::tr("Context: %1 tokens (trained for %2)")
               .arg(model.context)
               .arg(model.contextTrained)
        << '\n';
    out << "  "
        << ReportTexts::tr("Predicted memory: %1 (weights %2, context %3)")
               .arg(bytesText(model.plannedBytes), bytesText(model.weightBytes),
                    bytesText(model.kvBytes))
        << '\n';
    out << "  "
        << ReportTexts::tr("Asked for: backend %1, context %2, threads %3, context memory %4")
               .arg(QString::fromStdString(model.asked.backend))
               .arg(model.asked.context)
               .arg(model.asked.threads)
               .arg(QString::fromStdString(model.asked.kvType))
        << '\n';
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

QString deviceReportText(const QList<DeviceStatus> &devices, const ModelStatus *model)
{
    QString text;
    QTextStream out(&text);
    out << QStringLiteral("Fireside %1\n").arg(QCoreApplication::applicationVersion());
    out << ReportTexts::tr("System: %1, %2, Qt %3")
               .arg(QSysInfo::prettyProductName(), QSysInfo::currentCpuArchitecture(),
                    QString::fromLatin1(qVersion()))
        << '\n';
    if (devices.isEmpty())
        out << '\n' << ReportTexts::tr("The devices have not been examined yet.") << '\n';
    for (const DeviceStatus &device : devices)
        writeDevice(out, device);
    if (model)
        writeModel(out, *model);
    else
        out << '\n' << ReportTexts::tr("No model is loaded.") << '\n';
    return text;
}

} // namespace fireside
