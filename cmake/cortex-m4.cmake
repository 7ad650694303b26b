# Toolchain: ARM Cortex-M4F, whose processor computes in float; double is software.
set(LIMB_CORTEX -mcpu=cortex-m4 -mfpu=fpv4-sp-d16)
include(${CMAKE_CURRENT_LIST_DIR}/cortex.cmake)
