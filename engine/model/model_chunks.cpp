#include "engine/core/exception_guard.h"
#include "engine/files/model_file.h"
#include "engine/model/model.h"
#include "engine/model/stream_queue.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <string>
#include <system_error>
#include <thread>

// Chunks of a prompt over several devices: while one computes its layers of a chunk, the one before
// it computes its own of the next (Y. Huang et al., "GPipe", 2019, without the way back).
namespace fireside {

/// One prompt on its way. The first error ends it for all stages.
class Model::Pipeline
{
public:
    Pipeline(const Model &model, std::span<const Chunk> chunks, const std::stop_token &stop)
        : m_model(model)
        , m_chunks(chunks)
        , m_queues(model.m_stages.size() - 1)
        , m_devices(model.m_stages.size())
        , m_forward(stop, [this] { m_stop.request_stop(); })
    {}
    /// The last stage works on the calling thread, and so does `done`.
    void run(const std::function<void(std::size_t)> &done)
    {
        const std::size_t last = m_model.m_stages.size() - 1;
        {
            std::vector<std::jthread> threads;
            const Ending ending(*this); // goes first, so that the threads end
            try {
                for (std::size_t stage = 0; stage < last; ++stage)
                    threads.emplace_back([this, stage] { work(stage, {}); }); // contains exceptions
            } catch (const std::system_error &error) {
                throw Error(ErrorKind::Memory, "no thread for each of " + std::to_string(last + 1) +
                                                   " devices: " + error.what());
            }
            work(last, done);
        }
        if (m_error)
            std::rethrow_exception(m_error);
    }

private:
    struct Ending
    {
        explicit Ending(Pipeline &pipeline)
            : m_pipeline(pipeline)
        {}
        ~Ending() { m_pipeline.end(); }
        Ending(const Ending &) = delete;
        Ending &operator=(const Ending &) = delete;
        Pipeline &m_pipeline;
    };

    void end()
    {
        m_stop.request_stop();
        for (StreamQueue &queue : m_queues)
            queue.close();
    }
    void work(std::size_t index, const std::function<void(std::size_t)> &done)
    {
        try {
            faultPoint("model.chunks");
            std::vector<float> stream;
            for (std::size_t i = 0; i < m_chunks.size(); ++i) {
                if (index > 0 && !m_queues[index - 1].take(stream))
                    return;
                pass(index, m_chunks[i], stream);
                if (index < m_queues.size() && !m_queues[index].put(stream))
                    return;
                if (done)
                    done(i);
            }
        } catch (...) {
            {
                const std::lock_guard lock(m_errorMutex);
                if (!m_error)
                    m_error = std::current_exception();
            }
            end();
        }
    }
    void pass(std::size_t index, const Chunk &chunk, std::vector<float> &stream)
    {
        const std::lock_guard lock(deviceOf(index));
        m_model.runStage(m_model.m_stages[index], chunk.batch, chunk.output, m_stop.get_token(),
                         stream);
    }
    /// Stages on one device take turns.
    std::mutex &deviceOf(std::size_t index)
    {
        std::size_t first = 0;
        while (m_model.m_stages[first].device != m_model.m_stages[index].device)
            ++first;
        return m_devices[first];
    }

    const Model &m_model;
    std::span<const Chunk> m_chunks;
    std::deque<StreamQueue> m_queues;
    std::deque<std::mutex> m_devices;
    std::mutex m_errorMutex;
    std::exception_ptr m_error;
    std::stop_source m_stop;
    std::stop_callback<std::function<void()>> m_forward;
};

bool Model::overlapsChunks() const
{
    return m_helpers.empty() &&
           std::any_of(m_stages.begin(), m_stages.end(), [this](const Stage &stage) {
               return stage.device != m_stages.front().device;
           });
}

void Model::runChunks(std::span<const Chunk> chunks, const std::function<void(std::size_t)> &done,
                      const std::stop_token &stop) const
{
    if (chunks.empty())
        return;
    const Chunk &last = chunks.back();
    std::vector<Chunk> passes(chunks.begin(), chunks.end());
    for (Chunk &each : passes) {
        each.output.next = nullptr;
        each.batch.outputRows = each.output.rows;
        requirePlanned(each.batch, each.output);
    }
    guarded([&] {
        m_network->setLongContext(last.output.longContext);
        Pipeline(*this, passes, stop).run([&](std::size_t i) {
            m_file.requireUnchanged();
            if (i + 1 < passes.size())
                done(i);
        });
        requireFinite(last.output, [&] { return firstNotFinite(last.batch, stop); });
        done(passes.size() - 1);
    });
}

} // namespace fireside
