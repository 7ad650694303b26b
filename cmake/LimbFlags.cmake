# Compiler flags of the library, its kernels, and the programs around it.
#
# Warnings are errors only where a preset says so (CMAKE_COMPILE_WARNING_AS_ERROR). Nothing is ever
# compiled with -ffast-math: kernels give up errno, traps, the sign of zero and infinities, and
# contract a * b + c to a fused multiply-add where there is one; other files do not even contract.
include(CheckCCompilerFlag)
include(CheckCSourceRuns)

set(limb_warnings
    -Wall
    -Wextra
    -Wpedantic
    -Wconversion
    -Wshadow
    -Wvla
    -Wstrict-prototypes
    -Wmissing-prototypes
    -Wcast-qual
    -Wdouble-promotion
    -Wundef)

if(LIMB_SANITIZE OR LIMB_COVERAGE)
  set(LIMB_INSTRUMENTED ON)
else()
  set(LIMB_INSTRUMENTED OFF)
endif()

# Without an operating system there are no shared libraries, and no position-independent code for
# them.
get_property(LIMB_SHARED GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)

# Sanitizers and coverage. They must reach the link line of everything that uses the library.
function(limb_instrument target scope)
  if(LIMB_SANITIZE)
    set(flags -fsanitize=${LIMB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # Lines are what reports need; more takes up to half as long again.
    target_compile_options(${target} PRIVATE ${flags} -O1 -g1)
    target_link_options(${target} ${scope} ${flags})
    if(LIMB_FUZZ)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  endif()
  if(LIMB_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage)
    target_link_options(${target} ${scope} --coverage)
  endif()
endfunction()

# What all C targets share.
function(limb_common_flags target)
  set_target_properties(${target} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE ${limb_warnings})
  limb_instrument(${target} PRIVATE)
endfunction()

# Objects of the library: hidden symbols, position independent (for the static library, too) where
# libraries are shared.
function(limb_library_flags target)
  limb_common_flags(${target})
  set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden
                                             POSITION_INDEPENDENT_CODE ${LIMB_SHARED})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                               ${PROJECT_SOURCE_DIR}/src)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
endfunction()

# Everything but kernels: results do not depend on the FMA of the target. -O3 makes only loops over
# dense matrices faster, and takes a third longer to compile.
function(limb_plain_flags target)
  target_compile_options(${target} PRIVATE -ffp-contract=off
                                           $<$<CONFIG:Release,RelWithDebInfo>:-O2>)
endfunction()

# Programs: the tool, tests, examples.
function(limb_program_flags target)
  limb_common_flags(${target})
  limb_plain_flags(${target})
endfunction()

# The instruction set. isa: base, v3 or v4 (x86-64 levels).
function(limb_march target isa)
  if(isa STREQUAL "v3")
    target_compile_options(${target} PRIVATE -march=x86-64-v3)
  elseif(isa STREQUAL "v4")
    target_compile_options(${target} PRIVATE -march=x86-64-v4 -mprefer-vector-width=256)
  endif()
endfunction()

# Long functions with many values alive: lives become shorter, registers are renamed, and they are 5
# to 8 % faster. The vectoriser of straight-line code packs components of 3-vectors: slower than
# scalar code.
function(limb_long_functions target)
  set(fast -O3)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fno-tree-slp-vectorize)
    list(APPEND fast -flive-range-shrinkage -frename-registers)
  endif()
  target_compile_options(${target} PRIVATE -ffp-contract=fast
                                           "$<$<CONFIG:Release,RelWithDebInfo>:${fast}>")
endfunction()

# Code compiled per instruction set; isa is also the token LIMB_ISA.
function(limb_isa_flags target isa)
  target_compile_definitions(${target} PRIVATE LIMB_ISA=${isa})
  if(LIMB_SMALL)
    target_compile_definitions(${target} PRIVATE LIMB_SMALL=1)
  endif()
  if(LIMB_QUICK_KERNELS)
    target_compile_definitions(${target} PRIVATE LIMB_QUICK_KERNELS=1)
  endif()
  limb_march(${target} ${isa})
  limb_long_functions(${target})
  target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math -fno-signed-zeros
                                           $<$<CONFIG:Debug>:-O1>)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # A search for loads that repeat across blocks takes a sixth of the time to compile, and finds
    # nothing.
    # Following every inlined variable for the debugger takes minutes.
    target_compile_options(${target} PRIVATE -fno-gcse-after-reload -fno-var-tracking)
  endif()
  if(LIMB_SANITIZE MATCHES "undefined")
    # A check at each access of each inlined value takes minutes, too; the address sanitizer stays.
    target_compile_options(
      ${target} PRIVATE -fno-sanitize=null,alignment,object-size,pointer-overflow)
  endif()
  if(LIMB_SANITIZE MATCHES "address" AND NOT LIMB_QUICK_KERNELS)
    # Every access is checked, by a call: in line the checks double the time to compile. Quick
    # kernels compile quickly either way, and run four times as fast with checks in line.
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE --param=asan-instrumentation-with-call-threshold=0)
    else()
      target_compile_options(
        ${target} PRIVATE "SHELL:-mllvm -asan-instrumentation-with-call-threshold=0")
    endif()
  endif()
endfunction()

# Kernels: entry points have rejected NaN and infinity, so 0 * x may vanish (kernel/scalar_native.h).
function(limb_kernel_flags target isa)
  limb_isa_flags(${target} ${isa})
  target_compile_options(${target} PRIVATE -ffinite-math-only)
endfunction()

# Instruction sets that compiler and target know, `base` first.
function(limb_known_isas out)
  set(isas base)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    foreach(level v3 v4)
      check_c_compiler_flag(-march=x86-64-${level} LIMB_COMPILER_HAS_${level})
      if(LIMB_COMPILER_HAS_${level})
        list(APPEND isas ${level})
      endif()
    endforeach()
  endif()
  set(${out} ${isas} PARENT_SCOPE)
endfunction()

# Whether this machine runs a level; cross compilers cannot ask.
function(limb_machine_runs level features out)
  set(${out} FALSE PARENT_SCOPE)
  if(LIMB_COMPILER_HAS_${level} AND NOT CMAKE_CROSSCOMPILING)
    string(REGEX REPLACE "([a-z0-9]+);?" "&& __builtin_cpu_supports(\"\\1\")" test "${features}")
    check_c_source_runs("int main(void) { return !(1 ${test}); }" LIMB_MACHINE_RUNS_${level})
    set(${out} ${LIMB_MACHINE_RUNS_${level}} PARENT_SCOPE)
  endif()
endfunction()

# Instruction sets the kernels are compiled for: LIMB_ISA with `native` and `all` replaced.
function(limb_kernel_isas out)
  limb_known_isas(known)
  if(LIMB_ISA STREQUAL "all")
    set(isas ${known})
  elseif(LIMB_ISA STREQUAL "native")
    set(isas base)
    set(v3 avx2 fma bmi bmi2 popcnt)
    limb_machine_runs(v3 "${v3}" runs_v3)
    limb_machine_runs(v4 "${v3};avx512f;avx512dq;avx512vl;avx512bw;avx512cd" runs_v4)
    if(runs_v4)
      set(isas v4)
    elseif(runs_v3)
      set(isas v3)
    endif()
  else()
    set(isas ${LIMB_ISA})
    foreach(isa IN LISTS isas)
      if(NOT isa IN_LIST known)
        message(FATAL_ERROR "LIMB_ISA=${LIMB_ISA}: this compiler and target have ${known}; "
                            "native and all choose among them")
      endif()
    endforeach()
  endif()
  set(${out} ${isas} PARENT_SCOPE)
endfunction()
