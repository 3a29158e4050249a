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
    if (x.dtype != out.dtype) {
        expectActivation(op, "x", x);
        expectActivation(op, "out", out);
    }
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
    const Groups groups = flatGroups(r, out.rows * units, threads);
    const Work work{0, 2 * bytesOf(out)};
    if (map.indices != nullptr)
        r.dispatch("move_rows", constants, push, groups, {accessOf(x), accessOf(*map.indices)},
                   {accessOf(out)}, work);
    else
        r.dispatch("move_rows", constants, push, groups, {accessOf(x)}, {accessOf(out)}, work);
}

/// How many rows each item has in a padded tensor.
std::int64_t rowsPerItem(const Recorder &r, const char *op, const Tensor &padded)
{
    const auto items = static_cast<std::int64_t>(r.items().size());
    const std::int64_t longest = items > 0 ? padded.rows / items : 0;
    if (longest * items != padded.rows)
        throw Error(ErrorKind::Internal, std::string(op) + ": " + std::to_string(padded.rows) +
                                             " rows are no multiple of " + std::to_string(items) +
                                             " items");
    for (const BatchItem &item : r.items())
        if (item.rows > longest)
            throw Error(ErrorKind::Internal,
                        std::string(op) + ": an item has " + std::to_string(item.rows) +
                            " rows where there is room for " + std::to_string(longest));
    return longest;
}

} // namespace

void gatherRows(Recorder &r, const Tensor &x, const Tensor &rows, const Tensor &out)
{
    expectIds("gatherRows", "rows", out.rows, 1, rows);
    expectShape("gatherRows", "out", rows.rows, x.cols, out);
    if (x.rows == 0 && out.rows > 0)
        throw Error(ErrorKind::Internal, "gatherRows: " + std::to_string(out.rows) +
                                             " rows are asked of a tensor without rows");
    if (rows.stride != 1 && rows.rows > 1)
        throw Error(ErrorKind::Internal, "gatherRows: the row numbers have a stride of " +
                                             std::to_string(rows.stride) + " instead of 1");
    if (out.rows == 0)
        return;
    RowMap map;
    map.kind = kMapIndices;
    map.map = r.address(rows);
    map.indices = &rows;
    moveRows(r, "gatherRows", x, out, map);
}

void copy(Recorder &r, const Tensor &x, const Tensor &out)
{
    expectShape("copy", "out", x.rows, x.cols, out);
    moveRows(r, "copy", x, out, {});
}

void pad(Recorder &r, const Tensor &x, const Tensor &out)
{
    expectActivation("pad", "x", x);
    expectShape("pad", "x", r.rows(), out.cols, x);
    RowMap map;
    map.kind = kMapPad;
    map.items = r.itemTable();
    map.longest = rowsPerItem(r, "pad", out);
    moveRows(r, "pad", x, out, map);
}

void unpad(Recorder &r, const Tensor &x, const Tensor &out)
{
    expectActivation("unpad", "x", x);
    expectShape("unpad", "out", r.rows(), x.cols, out);
    RowMap map;
    map.kind = kMapUnpad;
    map.map = r.rowItems();
    map.items = r.itemTable();
    map.longest = rowsPerItem(r, "unpad", x);
    moveRows(r, "unpad", x, out, map);
}

} // namespace fireside::vulkan
