// Products with weights whose columns lie in an order of their own, as ops that know nothing of it:
// the inputs are brought into that order before.
#include "engine/backend/op.h"
#include "engine/core/error.h"

#include <algorithm>
#include <optional>

namespace fireside {
namespace {

const Weight *columnsOf(const Weight *weight)
{
    return weight != nullptr ? weight->columns.get() : nullptr;
}

/// The input with its norm taken, for several that read it.
Tensor normed(Commands &c, const LinearInput &input)
{
    if (input.norm == nullptr)
        return input.x;
    const Tensor out = c.scratch(input.x.rows, input.x.cols);
    c.take(op::RmsNorm{.x = input.x, .weight = input.norm, .eps = input.eps, .out = out});
    return out;
}

Tensor gathered(Commands &c, const Tensor &x, const Weight &columns)
{
    const Tensor out = c.productInput(x.rows, x.cols);
    c.take(op::GatherColumns{.x = x, .columns = &columns, .ids = {}, .out = out});
    return out;
}

/// For each token and expert a row of its own, in the order of the expert's columns.
Tensor gathered(Commands &c, const Tensor &x, const Weight *columns, const Tensor &ids)
{
    const Tensor out = c.productInput(ids.rows * ids.cols, x.cols);
    c.take(op::GatherColumns{.x = x, .columns = columns, .ids = ids, .out = out});
    return out;
}

/// What only products read may be kept as they like it: who else reads it gives them a copy.
Tensor forProducts(Commands &c, const Tensor &x)
{
    if (!x.forProducts)
        return x;
    const Tensor out = c.productInput(x.rows, x.cols);
    c.take(op::Copy{x, out});
    return out;
}

template <typename Other>
bool inOrder(Commands & /*c*/, const Other & /*op*/)
{
    return false;
}

bool inOrder(Commands &c, const op::Linear &op)
{
    const auto ordered = [](const LinearTarget &t) { return columnsOf(t.weight) != nullptr; };
    if (std::none_of(op.targets.begin(), op.targets.end(), ordered))
        return false;
    const Tensor x = normed(c, op.input);
    std::vector<LinearTarget> left = op.targets;
    while (!left.empty()) { // those of one order together
        const Weight *const columns = columnsOf(left.front().weight);
        const auto others = std::stable_partition(left.begin(), left.end(), [&](const auto &t) {
            return columnsOf(t.weight) == columns;
        });
        const Tensor input = columns != nullptr ? gathered(c, x, *columns) : forProducts(c, x);
        c.take(op::Linear{input, {left.begin(), others}, op.mode});
        left.erase(left.begin(), others);
    }
    return true;
}

bool inOrder(Commands &c, const op::GatedLinear &op)
{
    const GatedWeights &w = op.weights;
    const Weight *const gate = columnsOf(w.gate), *const up = columnsOf(w.up);
    if (gate == nullptr && up == nullptr)
        return false;
    if (gate == up) {
        c.take(op::GatedLinear{gathered(c, normed(c, op.input), *gate), w, op.act, op.out});
        return true;
    }
    const Tensor gates = c.scratch(op.out.rows, op.out.cols);
    const Tensor ups = c.scratch(op.out.rows, op.out.cols);
    inOrder(c, op::Linear{op.input, {{w.gate, gates, w.gateBias}, {w.up, ups, w.upBias}}});
    c.take(op::Gate{gates, ups, op.act, op.out});
    return true;
}

/// The choice of each row for rows that have one each.
Tensor oneEach(const Tensor &ids)
{
    if (ids.stride != ids.cols && ids.rows > 1)
        throwInternal("the experts' ids have a stride of " + std::to_string(ids.stride) +
                      " instead of " + std::to_string(ids.cols));
    Tensor all = ids;
    all.rows = ids.rows * ids.cols;
    all.cols = all.stride = 1;
    return all;
}

bool inOrder(Commands &c, const op::ExpertGatedLinear &op)
{
    const GatedWeights &w = op.weights;
    const Weight *const gate = columnsOf(w.gate), *const up = columnsOf(w.up);
    if (gate == nullptr && up == nullptr)
        return false;
    const Tensor x = normed(c, op.input), ids = oneEach(op.ids);
    if (w.gate == nullptr || gate == up) {
        c.take(op::ExpertGatedLinear{gathered(c, x, up, op.ids), ids, w, op.act, op.out});
        return true;
    }
    // Each by itself: of one expert, with the weight 1.
    const auto product = [&](const Weight &weight, const Weight *bias) {
        const Tensor input = gathered(c, x, weight.columns.get(), op.ids);
        const Tensor ones = c.scratch(input.rows, 1);
        const Tensor out = c.scratch(op.out.rows, op.out.cols);
        c.take(op::Scale{.x = input.columns(0, 1), .scale = 0, .out = ones, .add = 1});
        c.take(op::ExpertLinear{input, ids, ones, weight, bias, out});
        return out;
    };
    const Tensor gates = product(*w.gate, w.gateBias), ups = product(*w.up, w.upBias);
    c.take(op::Gate{gates, ups, op.act, op.out});
    return true;
}

bool inOrder(Commands &c, const op::ExpertLinear &op)
{
    const Weight *const columns = columnsOf(&op.down);
    if (columns == nullptr)
        return false;
    c.take(op::ExpertLinear{gathered(c, op.x, columns, op.ids), op.ids, op.weights, op.down,
                            op.bias, op.out, op.mode});
    return true;
}

} // namespace

void Commands::record(const Op &op)
{
    const bool done = std::visit([&](const auto &each) { return inOrder(*this, each); },
                                 static_cast<const Op::variant &>(op));
    if (!done)
        take(op);
}

} // namespace fireside
