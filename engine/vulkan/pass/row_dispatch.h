#pragma once
#include "engine/vulkan/pass/recorder.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

// What the dispatches of the row-wise ops have in common.
namespace fireside::vulkan {

inline std::int64_t elementBytes(const Tensor &tensor)
{
    return static_cast<std::int64_t>(info(tensor.dtype).blockBytes);
}
inline std::uint32_t strideBytes(const Tensor &tensor)
{
    return static_cast<std::uint32_t>(tensor.stride * elementBytes(tensor));
}
inline std::uint32_t count32(std::int64_t value)
{
    return static_cast<std::uint32_t>(value);
}
inline double bytesOf(const Tensor &tensor)
{
    return static_cast<double>(tensor.rows * tensor.cols * elementBytes(tensor));
}

/// Whether each tensor's rows begin and end at multiples of `bytes`.
bool rowsFit(const Recorder &r, std::int64_t bytes, std::initializer_list<const Tensor *> tensors);
/// Whether each tensor's rows can be read in units of four elements.
bool rowsFitFours(const Recorder &r, std::initializer_list<const Tensor *> tensors);

/// Threads per group: a power of two from 32 to `most`, no more than the device allows and no more
/// than about one per unit of work.
std::uint32_t threadsFor(const Recorder &r, std::int64_t units, std::uint32_t most = 256);

/// Threads that share `units` of work and add up their results in registers: a power of two, `most`
/// at most, that divides the units; 1 where threads cannot read each other's registers.
std::int64_t lanesFor(const Recorder &r, std::int64_t units, std::int64_t most);

/// How a kernel that goes through an item's rows takes them: rows in shared memory at a time, no
/// more than about `most`, of which so many go together; threads of a group at most.
struct ScanSteps
{
    std::uint32_t staged, together, threads;
};
ScanSteps scanSteps(const Recorder &r, std::int64_t most);

/// Workgroups for a loop over `units` with one unit per thread; shaders go on in steps of all
/// threads.
Workgroups flatWorkgroups(const Recorder &r, std::int64_t units, std::uint32_t threads);
/// `count` groups in as many rows of the grid as the device needs: index y · groups.x + x.
Workgroups foldedWorkgroups(const Recorder &r, std::int64_t count);

/// Heads within rows: `cols` columns of each, `step` from one to the next.
struct HeadColumns
{
    std::int64_t heads, step, cols;
};
/// Adds what a dispatch reads or writes of them: of one row each head by itself, so that another
/// dispatch may have what lies between them; of more all the rows.
void addHeads(const Tensor &x, const HeadColumns &columns, std::vector<Access> &accesses);

/// Address of a vector's F32 values; 0 for none.
VkDeviceAddress vectorAddress(const Weight *weight);

} // namespace fireside::vulkan
