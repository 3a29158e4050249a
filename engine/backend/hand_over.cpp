#include "engine/backend/hand_over.h"

#include "engine/core/error.h"

namespace fireside {
namespace {

std::size_t countOf(const Tensor &tensor)
{
    return static_cast<std::size_t>(tensor.rows * tensor.cols);
}

void uploadFrom(Commands &helper, const std::byte *values, const Tensor &to)
{
    if (to.dtype == DType::I32)
        helper.upload(std::span(reinterpret_cast<const std::int32_t *>(values), countOf(to)), to);
    else
        helper.upload(std::span(reinterpret_cast<const float *>(values), countOf(to)), to);
}

/// Scratch of the helper for a tensor of the other side.
Tensor like(Commands &helper, const Tensor &tensor)
{
    if (tensor.dtype != DType::F32 && tensor.dtype != DType::I32)
        throwInternal(std::string("handed over as ") + name(tensor.dtype));
    return helper.scratch(tensor.rows, tensor.cols, tensor.dtype);
}

/// Scratch is given back even where the work fails: the pass may be repeated.
class Marked
{
public:
    explicit Marked(Commands &commands)
        : m_commands(commands)
        , m_mark(commands.mark())
    {}
    ~Marked() { m_commands.release(m_mark); }
    Marked(const Marked &) = delete;
    Marked &operator=(const Marked &) = delete;

private:
    Commands &m_commands;
    std::size_t m_mark;
};

} // namespace

void doHandedWork(Commands &helper, const HandedWork &work, const HandedPlaces &places)
{
    const Marked marked(helper);
    std::array<Tensor, HandedWork::kMost> from;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (work.from[i].cols == 0)
            continue;
        from[i] = like(helper, work.from[i]);
        uploadFrom(helper, places.from[i], from[i]);
    }
    const Tensor to = like(helper, work.to);
    work.ops(helper, from, to);
    helper.sync();
    helper.read(to, std::span(reinterpret_cast<float *>(places.to), countOf(to)));
}

void recordHandedWork(Commands &helper, const HandedWork &work)
{
    const Marked marked(helper);
    std::array<Tensor, HandedWork::kMost> from;
    for (std::size_t i = 0; i < from.size(); ++i)
        if (work.from[i].cols > 0)
            from[i] = like(helper, work.from[i]);
    work.ops(helper, from, like(helper, work.to));
}

std::uint64_t sharedBytes(std::int64_t rows, std::int64_t cols, DType dtype)
{
    constexpr std::uint64_t kEach = 256; // tensors begin at a multiple
    const std::uint64_t bytes = static_cast<std::uint64_t>(rows * cols) * info(dtype).blockBytes;
    return (bytes + kEach - 1) / kEach * kEach;
}

HandOver &handOverOf(Commands &commands)
{
    auto *const over = dynamic_cast<HandOver *>(&commands);
    if (over == nullptr)
        throwInternal("a device that hands nothing over");
    return *over;
}

} // namespace fireside
