#include "shaders/ops/rows/elementwise.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "shaders/common/activation_kinds.h"

#include <array>
#include <string>

namespace fireside::vulkan {

static_assert(kActivationSiLU == static_cast<std::uint32_t>(Activation::SiLU) &&
              kActivationGeluErf == static_cast<std::uint32_t>(Activation::GeluErf) &&
              kActivationGeluTanh == static_cast<std::uint32_t>(Activation::GeluTanh) &&
              kActivationReluSquared == static_cast<std::uint32_t>(Activation::ReluSquared) &&
              kActivationClampedSwiGlu == static_cast<std::uint32_t>(Activation::ClampedSwiGlu) &&
              kActivationRelu == static_cast<std::uint32_t>(Activation::Relu) &&
              kActivationSigmoid == static_cast<std::uint32_t>(Activation::Sigmoid) &&
              kActivationTanh == static_cast<std::uint32_t>(Activation::Tanh) &&
              kActivationQuickGelu == static_cast<std::uint32_t>(Activation::QuickGelu) &&
              kActivationXIelu == static_cast<std::uint32_t>(Activation::XIelu));

namespace {

struct Elements
{
    const char *op = "";
    std::uint32_t kind = kElementsAdd;
    std::uint32_t activation = kActivationNone;
    std::array<float, 4> numbers{};
    const Tensor *b = nullptr, *c = nullptr;
    const Weight *bias = nullptr, *rowC = nullptr; // in place of b, of c
    bool byPosition = false;                       // b is the batch's positions
};

/// A vector of weights as the operand b: only type, shape and address matter.
struct Operand
{
    std::uint32_t kind = kOperandAbsent;
    VkDeviceAddress address = 0;
    std::uint32_t stride = 0, half = 0;
};

Operand operandB(Recorder &r, const Elements &e, const Tensor &a)
{
    if (e.byPosition)
        return {kOperandIntegers, r.positions(), 0, 0};
    if (e.bias != nullptr)
        return {kOperandRow, vectorAddress(e.bias), 0, 0};
    if (e.b == nullptr)
        return {};
    const Tensor &b = *e.b;
    Operand operand{kOperandMatrix, 0, strideBytes(b), isHalf(b)};
    const bool broadcasts = e.kind == kElementsAdd || e.kind == kElementsMultiply;
    if (broadcasts && b.rows == 1 && b.cols == 1 && (a.rows != 1 || a.cols != 1))
        operand.kind = kOperandNumber;
    else if (broadcasts && b.rows == 1 && b.cols == a.cols && a.rows != 1)
        operand.kind = kOperandRow;
    else if (broadcasts && b.cols == 1 && a.cols != 1)
        operand.kind = kOperandColumn;
    if (a.rows > 0)
        operand.address = r.address(b);
    return operand;
}

void elementwise(Recorder &r, const Elements &e, const Tensor &a, const Tensor &out)
{
    const Operand b = operandB(r, e, a);
    if (a.rows == 0 || a.cols == 0)
        return;
    const VkDeviceAddress rowC = vectorAddress(e.rowC);
    const bool bIsWide = b.kind == kOperandMatrix || b.kind == kOperandRow;
    const bool bFits =
        !bIsWide || (e.bias != nullptr ? b.address % 16 == 0 : rowsFitFours(r, {e.b}));
    const bool fours = bFits && rowC % 16 == 0 && rowsFitFours(r, {&a, &out, e.c});
    const std::int64_t units = fours ? a.cols / 4 : a.cols;
    if (a.rows * units > 0xf0000000)
        throw Error(ErrorKind::Internal, std::string(e.op) + ": " + std::to_string(a.rows) +
                                             " rows of " + std::to_string(a.cols) +
                                             " are too much for one dispatch");
    const std::uint32_t threads = threadsFor(r, a.rows * units);
    const ElementwiseConstants constants{.kThreads = threads,
                                         .kOp = e.kind,
                                         .kActivation = e.activation,
                                         .kOperandB = b.kind,
                                         .kHasC = e.c != nullptr || e.rowC != nullptr,
                                         .kFours = fours,
                                         .kAHalf = isHalf(a),
                                         .kBHalf = b.half,
                                         .kCHalf = e.c != nullptr ? isHalf(*e.c) : 0,
                                         .kOutHalf = isHalf(out)};
    const ElementwisePush push{.a = r.address(a),
                               .b = b.address,
                               .c = e.c != nullptr ? r.address(*e.c) : rowC,
                               .result = r.address(out),
                               .aStride = strideBytes(a),
                               .bStride = b.stride,
                               .cStride = e.c != nullptr ? strideBytes(*e.c) : 0,
                               .outStride = strideBytes(out),
                               .rows = count32(a.rows),
                               .units = count32(units),
                               .first = e.numbers[0],
                               .second = e.numbers[1],
                               .third = e.numbers[2],
                               .fourth = e.numbers[3]};
    // An absent operand is named by another one: it adds nothing to what is read.
    const Access first = accessOf(a);
    r.dispatch(
        "elementwise", constants, push, flatWorkgroups(r, a.rows * units, threads),
        {first, e.b != nullptr ? accessOf(*e.b) : first, e.c != nullptr ? accessOf(*e.c) : first},
        {accessOf(out)},
        {0, bytesOf(a) + bytesOf(out) + (e.b != nullptr ? bytesOf(*e.b) : 0.0) +
                (e.c != nullptr ? bytesOf(*e.c) : 0.0)});
}

} // namespace

void run(Recorder &r, const op::Add &op)
{
    Elements e{op.kName, kElementsAdd};
    e.b = &op.b;
    elementwise(r, e, op.a, op.out);
}

void run(Recorder &r, const op::Multiply &op)
{
    Elements e{op.kName, kElementsMultiply};
    e.b = &op.b;
    elementwise(r, e, op.a, op.out);
}

void run(Recorder &r, const op::AddScaled &op)
{
    Elements e{op.kName, kElementsAddScaled};
    e.numbers = {op.scale};
    e.b = &op.out;
    elementwise(r, e, op.x, op.out);
}

void run(Recorder &r, const op::AddBias &op)
{
    Elements e{op.kName, kElementsAddBias};
    e.bias = &op.bias;
    e.c = op.residual ? &*op.residual : nullptr;
    elementwise(r, e, op.x, op.out);
}

void run(Recorder &r, const op::Activate &op)
{
    Elements e{op.kName, kElementsActivate, static_cast<std::uint32_t>(op.act)};
    e.bias = op.bias;
    e.numbers = {op.xielu.alphaP, op.xielu.alphaN, op.xielu.beta, op.xielu.eps};
    elementwise(r, e, op.x, op.out);
}

void run(Recorder &r, const op::Gate &op)
{
    Elements e{op.kName, kElementsGate, static_cast<std::uint32_t>(op.act)};
    e.b = &op.up;
    elementwise(r, e, op.gate, op.out);
}

void run(Recorder &r, const op::Softcap &op)
{
    Elements e{op.kName, kElementsSoftcap};
    e.numbers = {op.cap};
    elementwise(r, e, op.x, op.out);
}

void run(Recorder &r, const op::Scale &op)
{
    Elements e{op.kName, kElementsScale};
    e.numbers = {op.scale, op.add};
    elementwise(r, e, op.x, op.out);
}

void run(Recorder &r, const op::Clamp &op)
{
    Elements e{op.kName, kElementsClamp};
    e.numbers = {op.low, op.high};
    elementwise(r, e, op.x, op.out);
}

void run(Recorder &r, const op::Decay &op)
{
    Elements e{op.kName, kElementsDecay};
    e.bias = &op.a;
    e.rowC = op.bias;
    elementwise(r, e, op.x, op.out);
}

void run(Recorder &r, const op::AttentionTemperature &op)
{
    Elements e{op.kName, kElementsByPosition};
    e.numbers = {op.scale, op.offset, op.period};
    e.byPosition = true;
    elementwise(r, e, op.x, op.out);
}

} // namespace fireside::vulkan
