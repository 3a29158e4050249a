#include "shaders/ops/rows/elementwise.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "shaders/common/activation_kinds.h"

#include <string>

namespace fireside::vulkan {

static_assert(kActivationSiLU == static_cast<std::uint32_t>(Activation::SiLU) &&
              kActivationGeluErf == static_cast<std::uint32_t>(Activation::GeluErf) &&
              kActivationGeluTanh == static_cast<std::uint32_t>(Activation::GeluTanh) &&
              kActivationReluSquared == static_cast<std::uint32_t>(Activation::ReluSquared) &&
              kActivationClampedSwiGlu == static_cast<std::uint32_t>(Activation::ClampedSwiGlu));

namespace {

struct Elements
{
    const char *op = "";
    std::uint32_t kind = kElementsAdd;
    std::uint32_t activation = kActivationNone;
    float scale = 0;
    const Tensor *b = nullptr, *c = nullptr;
    const Weight *bias = nullptr; // in place of b
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
    if (e.bias != nullptr) {
        expectVector(e.op, a.cols, e.bias);
        return {kOperandRow, vectorAddress(e.bias), 0, 0};
    }
    if (e.b == nullptr)
        return {};
    const Tensor &b = *e.b;
    expectActivation(e.op, "the second operand", b);
    Operand operand{kOperandMatrix, 0, strideBytes(b), isHalf(b)};
    const bool broadcasts = e.kind == kElementsAdd || e.kind == kElementsMultiply;
    if (broadcasts && b.rows == 1 && b.cols == 1 && (a.rows != 1 || a.cols != 1))
        operand.kind = kOperandNumber;
    else if (broadcasts && b.rows == 1 && b.cols == a.cols && a.rows != 1)
        operand.kind = kOperandRow;
    else
        expectShape(e.op, "the second operand", a.rows, a.cols, b);
    if (a.rows > 0)
        operand.address = r.address(b);
    return operand;
}

void elementwise(Recorder &r, const Elements &e, const Tensor &a, const Tensor &out)
{
    expectActivation(e.op, "x", a);
    expectActivation(e.op, "out", out);
    expectShape(e.op, "out", a.rows, a.cols, out);
    if (e.c != nullptr) {
        expectActivation(e.op, "residual", *e.c);
        expectShape(e.op, "residual", a.rows, a.cols, *e.c);
    }
    const Operand b = operandB(r, e, a);
    if (a.rows == 0 || a.cols == 0)
        return;
    const bool bFits = b.kind == kOperandAbsent || b.kind == kOperandNumber ||
                       (e.bias != nullptr ? b.address % 16 == 0 : rowsFitFours(r, {e.b}));
    const bool fours = bFits && rowsFitFours(r, {&a, &out, e.c});
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
                                         .kHasC = e.c != nullptr,
                                         .kFours = fours,
                                         .kAHalf = isHalf(a),
                                         .kBHalf = b.half,
                                         .kCHalf = e.c != nullptr ? isHalf(*e.c) : 0,
                                         .kOutHalf = isHalf(out)};
    const ElementwisePush push{.a = r.address(a),
                               .b = b.address,
                               .c = e.c != nullptr ? r.address(*e.c) : 0,
                               .result = r.address(out),
                               .aStride = strideBytes(a),
                               .bStride = b.stride,
                               .cStride = e.c != nullptr ? strideBytes(*e.c) : 0,
                               .outStride = strideBytes(out),
                               .rows = count32(a.rows),
                               .units = count32(units),
                               .scale = e.scale};
    // An absent operand is named by another one: it adds nothing to what is read.
    const Access first = accessOf(a);
    r.dispatch(
        "elementwise", constants, push, flatGroups(r, a.rows * units, threads),
        {first, e.b != nullptr ? accessOf(*e.b) : first, e.c != nullptr ? accessOf(*e.c) : first},
        {accessOf(out)},
        {0, bytesOf(a) + bytesOf(out) + (e.b != nullptr ? bytesOf(*e.b) : 0.0) +
                (e.c != nullptr ? bytesOf(*e.c) : 0.0)});
}

} // namespace

void add(Recorder &r, const Tensor &a, const Tensor &b, const Tensor &out)
{
    Elements e{"add", kElementsAdd};
    e.b = &b;
    elementwise(r, e, a, out);
}

void multiply(Recorder &r, const Tensor &a, const Tensor &b, const Tensor &out)
{
    Elements e{"multiply", kElementsMultiply};
    e.b = &b;
    elementwise(r, e, a, out);
}

void addScaled(Recorder &r, const Tensor &x, float scale, const Tensor &out)
{
    Elements e{"addScaled", kElementsAddScaled};
    e.scale = scale;
    e.b = &out;
    elementwise(r, e, x, out);
}

void addBias(Recorder &r, const Tensor &x, const Weight &bias, const Tensor *residual,
             const Tensor &out)
{
    Elements e{"addBias", kElementsAddBias};
    e.bias = &bias;
    e.c = residual;
    elementwise(r, e, x, out);
}

void activate(Recorder &r, const Tensor &x, Activation act, const Weight *bias, const Tensor &out)
{
    if (act == Activation::ClampedSwiGlu)
        throw Error(ErrorKind::Internal, "activate: the clamped SwiGLU needs a gate");
    Elements e{"activate", kElementsActivate, static_cast<std::uint32_t>(act)};
    e.bias = bias;
    elementwise(r, e, x, out);
}

void gate(Recorder &r, const Tensor &gateInput, const Tensor &up, Activation act, const Tensor &out)
{
    Elements e{"gate", kElementsGate, static_cast<std::uint32_t>(act)};
    e.b = &up;
    elementwise(r, e, gateInput, out);
}

void softcap(Recorder &r, const Tensor &x, float cap, const Tensor &out)
{
    Elements e{"softcap", kElementsSoftcap};
    e.scale = cap;
    elementwise(r, e, x, out);
}

} // namespace fireside::vulkan
