#pragma once
#include "engine/backend/commands.h"
#include "engine/backend/memory.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

// How values of the host come into a pass that may be kept and replayed: those that it begins with,
// and those that another device computes in the middle of it.
namespace fireside {

/// Ops that another device does in the middle of a pass.
struct HandedWork
{
    static constexpr std::size_t kMost = 3;
    /// What the other device reads, and what it writes: F32 or I32 of HandOver::shared().
    std::array<Tensor, kMost> from{};
    Tensor to{};
    /// Records them, for tensors of the other device of the same shapes. Called in every pass,
    /// replays included: what it refers to must live as long as the commands.
    std::function<void(Commands &helper, const std::array<Tensor, kMost> &from, const Tensor &to)>
        ops{};
};

/// Where the numbers of a HandedWork lie for the host, row after row.
struct HandedPlaces
{
    std::array<const std::byte *, HandedWork::kMost> from{};
    std::byte *to = nullptr;
};

/// Does the work with commands that have begun a pass of the same batch, and waits for it.
void doHandedWork(Commands &helper, const HandedWork &work, const HandedPlaces &places);
/// Only records it, with scratch of `helper`.
void recordHandedWork(Commands &helper, const HandedWork &work);

/// Bytes that a tensor of HandOver::shared() takes.
std::uint64_t sharedBytes(std::int64_t rows, std::int64_t cols, DType dtype);

/// What commands offer besides ops (commands.h) where a pass is spread over devices.
class HandOver
{
public:
    virtual ~HandOver() = default;
    /// What passes need at most.
    struct Needs
    {
        std::size_t brought = 0, shared = 0; // bytes
        /// Does handed work; the caller begins it with each batch. Null: none is handed over.
        Commands *helper = nullptr;
    };
    /// Before the first pass.
    virtual void prepareHandOver(const Needs &needs) = 0;
    /// Before begin(), replays included: the values the pass begins with.
    virtual void bring(std::span<const float> values) = 0;
    /// First in a pass: x [rows, cols] gets the values that were brought.
    virtual void takeBrought(const Tensor &x) = 0;
    /// Scratch that device and host both reach, until handOver().
    virtual Tensor shared(std::int64_t rows, std::int64_t cols, DType dtype = DType::F32) = 0;
    /// What was recorded so far is run, then the work is done, then what is recorded next: that may
    /// read work.to, until shared() is asked for anew.
    virtual void handOver(const HandedWork &work) = 0;
};

/// Those of all devices of ours; Error(Internal) of others.
HandOver &handOverOf(Commands &commands);

} // namespace fireside
