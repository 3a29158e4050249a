#pragma once
#include "app/runtime/engine_worker.h"
#include "app/runtime/reply_text.h"
#include "app/runtime/status_values.h"

#include <QElapsedTimer>

namespace fireside {

/// Collects text so that the window gets at most one signal per 40 ms.
class EngineWorker::Batch
{
public:
    Batch(EngineWorker &worker, qint64 jobId)
        : m_worker(worker)
        , m_jobId(jobId)
    {
        m_sinceSent.start();
    }

    void add(std::span<const ReplyDelta> deltas, const GenerateStats &stats, qint64 seed)
    {
        for (const ReplyDelta &delta : deltas)
            m_text.add(delta);
        m_raw = stats;
        m_seed = seed;
        if (!m_everSent || m_sinceSent.elapsed() >= m_worker.m_collectMs)
            flush();
    }

    void flush()
    {
        const QString text = m_text.takeNew();
        if (m_text.parts() != m_sentParts) {
            m_sentParts = m_text.parts();
            emit m_worker.partsChanged(m_jobId, m_sentParts);
        }
        if (text.isEmpty())
            return;
        m_everSent = true;
        m_sinceSent.restart();
        emit m_worker.textAdded(m_jobId, text, toStats(m_raw, m_worker.m_loaded.model(), m_seed));
    }

private:
    EngineWorker &m_worker;
    const qint64 m_jobId;
    ReplyText m_text;
    QList<MessagePart> m_sentParts;
    GenerateStats m_raw;
    qint64 m_seed = 0;
    bool m_everSent = false; // the first words show at once
    QElapsedTimer m_sinceSent;
};

} // namespace fireside
