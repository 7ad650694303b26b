# What the toolchains of the ARM Cortex-M share: no operating system, the cross compiler and C
# library of Debian (gcc-arm-none-eabi, libnewlib-arm-none-eabi). LIMB_CORTEX: flags of the
# processor.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# Every function in a section of its own: the linker takes those that are called.
list(JOIN LIMB_CORTEX " " CMAKE_C_FLAGS_INIT)
string(APPEND CMAKE_C_FLAGS_INIT " -mthumb -mfloat-abi=hard -ffunction-sections -fdata-sections")
