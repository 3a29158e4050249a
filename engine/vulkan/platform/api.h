#pragma once
// Types and constants only: every function is looked up at run time.
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>
