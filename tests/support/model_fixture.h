#pragma once
#include "engine/generate/session.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fireside {
class ModelFile;
}

namespace fireside::test {

/// A model with its weights on devices, without tokenizer: for tests of the forward pass.
struct WithDrafts
{};
class ModelFixture
{
public:
    /// On one device, with its heads for drafting.
    ModelFixture(const std::filesystem::path &path, WithDrafts,
                 std::shared_ptr<Device> device = nullptr);
    /// layerDevices: index of the device of each layer; empty: all on one. Devices are separate CPU
    /// backends, so that a split can be tested without a GPU.
    explicit ModelFixture(const std::filesystem::path &path, std::vector<int> layerDevices = {},
                          int threads = 2);
    /// All layers on one device that `open` gives.
    using OpenDevice = std::function<std::shared_ptr<Device>()>;
    ModelFixture(const std::filesystem::path &path, const OpenDevice &open);
    /// layerDevices as above, of these devices; empty: all on the first. expertDevices: those of
    /// each layer's experts; empty: the layers'.
    ModelFixture(const std::filesystem::path &path, std::vector<std::shared_ptr<Device>> devices,
                 std::vector<int> layerDevices = {}, std::vector<int> expertDevices = {});
    ~ModelFixture();

    const Model &model() const { return *m_model; }
    std::unique_ptr<Session> session(int capacity = 64, DType kvType = DType::F32) const;
    std::size_t vocabulary() const;
    std::int64_t layers() const;

private:
    std::unique_ptr<ModelFile> m_file;
    std::unique_ptr<Model> m_model;
};

/// Logits of every position, computed in one go.
std::vector<float> allLogits(Session &session, std::span<const TokenId> ids);

} // namespace fireside::test
