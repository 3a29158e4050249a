#pragma once
#include "app/models/model_library.h"
#include "app/models/model_source.h"
#include "engine/backend/selection.h"
#include "engine/model/describe.h"

#include <QHash>
#include <QString>

#include <mutex>
#include <optional>

namespace fireside {

/// Descriptions of files that have not changed since they were read. For several threads.
class DescriptionCache
{
public:
    struct Key
    {
        QString path;
        qint64 bytes = 0, modified = 0; // milliseconds since 1970
        int context = 0;
        DType kvType = DType::F16;
        const Recipe *quantize = nullptr;
        bool operator==(const Key &) const = default;
    };
    std::optional<ModelSummary> find(const Key &key) const;
    void insert(const Key &key, const ModelSummary &summary);

private:
    mutable std::mutex m_mutex;
    QHash<QString, std::pair<Key, ModelSummary>> m_known; // by path
};

/// What "will it fit" is asked for. Without devices: the CPU alone.
struct FitQuestion
{
    PlacementRequest where;
    int context = 0;
    DType kvType = DType::F16;
    const Recipe *quantize = nullptr;
    std::vector<DeviceReport> devices;
};

FitQuestion fitQuestion(const LoadSettings &settings, const QList<DeviceStatus> &devices);

/// The same choice that loading will make, with the RAM of this moment: sets fit and fitText.
void judge(const MemoryPlan &plan, const FitQuestion &asked, ModelEntry &entry);

/// Reads the file's header, as far as a source has not said already why it cannot be loaded. Never
/// throws.
ModelEntry describeFound(const FoundModel &found, const FitQuestion &asked,
                         DescriptionCache *cache = nullptr);

} // namespace fireside
