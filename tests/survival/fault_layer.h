#pragma once

// What fault_layer.cpp, a Vulkan layer, can be told. It lies between the loader and the driver,
// below a program that knows nothing of it: VK_LAYER_PATH names its folder, VK_INSTANCE_LAYERS its
// name. Variables tell a process:
//
// FIRESIDE_FAULT="CALL N KIND": the Nth CALL ("vkQueueSubmit"; "any") fails. KIND is host-memory,
// device-memory, lost, timeout, hang, abort, exit or stuck.
//
// FIRESIDE_FAULT_COUNTS=FILE: how often each call was made is written there in the end.
//
// FIRESIDE_FAULT_PATIENCE=MS: a wait for a hanging device takes no longer than this.
//
// A test tells it by the functions below, which it finds in the library.
namespace fireside::test {

inline constexpr const char *kFaultLayer = "VK_LAYER_FIRESIDE_fault";

enum class FaultKind {
    None,
    HostMemory,   // VK_ERROR_OUT_OF_HOST_MEMORY, once
    DeviceMemory, // VK_ERROR_OUT_OF_DEVICE_MEMORY, once
    Lost,         // VK_ERROR_DEVICE_LOST, from this call on, until the device is created anew
    Timeout,      // a wait returns VK_TIMEOUT at once, once
    Hang,         // nothing that is submitted from here on ends; waits take their time
    Abort,        // the call ends the process with SIGABRT
    Exit,         // the call ends the process with status 0
    Stuck,        // the call does not return
};

} // namespace fireside::test

extern "C" {
/// Counts begin anew. call: nullptr for any
void fireside_fault_arm(const char *call, int nth, int kind);
/// The calls since then; nullptr: all
int fireside_fault_calls(const char *call);
/// The name of the call that failed as told; nullptr: it has not come to that
const char *fireside_fault_fired();
/// Waits without a limit for a device that hangs, which never return, and hanging devices that were
/// destroyed, which may crash a driver: both are to stay 0.
int fireside_fault_endless_waits();
int fireside_fault_destroyed_hanging();
/// The names of all calls that are counted, then nullptr
const char *const *fireside_fault_names();
}
