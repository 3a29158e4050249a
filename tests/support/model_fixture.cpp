#include "tests/support/model_fixture.h"

#include "engine/files/model_file.h"
#include "engine/model/config.h"

#include <algorithm>

namespace fireside::test {

ModelFixture::ModelFixture(const std::filesystem::path &path, std::vector<int> layerDevices,
                           int threads)
    : m_file(std::make_unique<ModelFile>(ModelFile::open(path)))
{
    const auto count = static_cast<std::size_t>(readConfig(*m_file).layers);
    Placement placement;
    placement.layers = layerDevices.empty() ? std::vector<int>(count, 0) : std::move(layerDevices);
    const int last = *std::max_element(placement.layers.begin(), placement.layers.end());
    std::vector<std::shared_ptr<Device>> devices;
    for (int i = 0; i <= last; ++i)
        devices.push_back(openCpu({.threads = threads}));
    m_model =
        std::make_unique<Model>(*m_file, std::move(devices), std::move(placement), kPromptChunk);
}

ModelFixture::ModelFixture(const std::filesystem::path &path, WithDrafts,
                           std::shared_ptr<Device> device)
    : m_file(std::make_unique<ModelFile>(ModelFile::open(path)))
{
    Placement placement;
    placement.layers.assign(static_cast<std::size_t>(readConfig(*m_file).layers), 0);
    if (!device)
        device = openCpu({.threads = 2});
    m_model = std::make_unique<Model>(
        *m_file, std::vector{std::move(device)}, std::move(placement), kPromptChunk, DType::F32,
        std::function<void(const char *, double)>(), std::stop_token(), LoadQuantizing(), true);
}

ModelFixture::ModelFixture(const std::filesystem::path &path, const OpenDevice &open)
    : ModelFixture(path, std::vector{open()})
{}

ModelFixture::ModelFixture(const std::filesystem::path &path,
                           std::vector<std::shared_ptr<Device>> devices,
                           std::vector<int> layerDevices, std::vector<int> expertDevices)
    : m_file(std::make_unique<ModelFile>(ModelFile::open(path)))
{
    const auto count = static_cast<std::size_t>(readConfig(*m_file).layers);
    Placement placement;
    placement.layers = layerDevices.empty() ? std::vector<int>(count, 0) : std::move(layerDevices);
    placement.experts = std::move(expertDevices);
    m_model =
        std::make_unique<Model>(*m_file, std::move(devices), std::move(placement), kPromptChunk);
}

ModelFixture::~ModelFixture() = default;

std::unique_ptr<Session> ModelFixture::session(int capacity, DType kvType) const
{
    return std::make_unique<Session>(*m_model, capacity, kvType);
}

std::size_t ModelFixture::vocabulary() const
{
    return static_cast<std::size_t>(m_model->config().vocabulary);
}

std::int64_t ModelFixture::layers() const
{
    return m_model->config().layers;
}

std::vector<float> allLogits(Session &session, std::span<const TokenId> ids)
{
    std::vector<float> logits;
    session.appendAll(ids, logits);
    return logits;
}

} // namespace fireside::test
