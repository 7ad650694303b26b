# Toolchain: ARM Cortex-M7 whose processor computes in float and in double.
set(LIMB_CORTEX -mcpu=cortex-m7 -mfpu=fpv5-d16)
include(${CMAKE_CURRENT_LIST_DIR}/cortex.cmake)
