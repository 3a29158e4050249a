#include "shaders/ops/rows/move_rows.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {

namespace {

/// The rows' map with the tables it reads.
struct RowMap
{
    std::uint32_t kind = kMapSame;
    VkDeviceAddress map = 0, items = 0;
    std::int64_t longest = 0;
    const Tensor *indices = nullptr;
};

void moveRows(Recorder &r, const char *op, Tensor x, Tensor out, const RowMap &map)
{
    if (out.rows == 0 || out.cols == 0)
        return;
    if (map.kind == kMapSame && x.stride == x.cols && out.stride == out.cols) { // one long row
        x.stride = x.cols = out.stride = out.cols = x.rows * x.cols;
        x.rows = out.rows = 1;
    }
    const std::int64_t size = elementBytes(out);
    std::uint32_t moved = kConvertSingles;
    std::int64_t units = out.cols;
    if (x.dtype == out.dtype && rowsFit(r, 16, {&x, &out})) {
        moved = kMoveBytes16;
        units = out.cols * size / 16;
    } else if (x.dtype == out.dtype && rowsFit(r, 4, {&x, &out})) {
        moved = kMoveBytes4;
        units = out.cols * size / 4;
    } else if (x.dtype == out.dtype) {
        moved = kMoveBytes2;
        units = out.cols * size / 2;
    } else if (rowsFitFours(r, {&x, &out})) {
        moved = kConvertFours;
        units = out.cols / 4;
    }
    if (out.rows * units > 0xf0000000)
        throw Error(ErrorKind::Internal, std::string(op) + ": " + std::to_string(out.rows) +
                                             " rows of " + std::to_string(out.cols) +
                                             " are too much for one dispatch");
    const std::uint32_t threads = threadsFor(r, out.rows * units);
    const MoveRowsConstants constants{.kThreads = threads,
                                      .kMap = map.kind,
                                      .kMove = moved,
                                      .kXHalf = isHalf(x),
                                      .kOutHalf = isHalf(out)};
    const MoveRowsPush push{.x = r.address(x),
                            .result = r.address(out),
                            .map = map.map,
                            .items = map.items,
                            .xStride = strideBytes(x),
                            .outStride = strideBytes(out),
                            .xRows = count32(x.rows),
                            .rows = count32(out.rows),
                            .units = count32(units),
                            .longest = count32(map.longest)};
    const Workgroups groups = flatWorkgroups(r, out.rows * units, threads);
    const Work work{0, 2 * bytesOf(out)};
    if (map.indices != nullptr)
        r.dispatch("move_rows", constants, push, groups, {accessOf(x), accessOf(*map.indices)},
                   {accessOf(out)}, work);
    else
        r.dispatch("move_rows", constants, push, groups, {accessOf(x)}, {accessOf(out)}, work);
}

/// How many rows each item has in a padded tensor.
std::int64_t rowsPerItem(const Recorder &r, const Tensor &padded)
{
    const auto items = static_cast<std::int64_t>(r.items().size());
    return items > 0 ? padded.rows / items : 0;
}

} // namespace

void run(Recorder &r, const op::GatherRows &op)
{
    if (op.out.rows == 0)
        return;
    RowMap map;
    map.kind = kMapIndices;
    map.map = r.address(op.rows);
    map.indices = &op.rows;
    moveRows(r, op.kName, op.x, op.out, map);
}

void run(Recorder &r, const op::Copy &op)
{
    moveRows(r, op.kName, op.x, op.out, {});
}

void run(Recorder &r, const op::Pad &op)
{
    RowMap map;
    map.kind = kMapPad;
    map.items = r.itemTable();
    map.longest = rowsPerItem(r, op.out);
    moveRows(r, op.kName, op.x, op.out, map);
}

void run(Recorder &r, const op::Unpad &op)
{
    RowMap map;
    map.kind = kMapUnpad;
    map.map = r.rowItems();
    map.items = r.itemTable();
    map.longest = rowsPerItem(r, op.x);
    moveRows(r, op.kName, op.x, op.out, map);
}

} // namespace fireside::vulkan
