# limb_sim: simulation, on top of the core. Adaptive methods come from SUNDIALS
# (LimbSundials.cmake), when it is there; all others need nothing.
include(LimbSundials)

if(NOT LIMB_SUNDIALS_FOUND) # nothing is left of these
  list(FILTER limb_sim_sources EXCLUDE REGEX "/sim/(stepper_(arkode|multistep)|sundials(_tables)?)\\.c$")
endif()
add_library(limb_sim_objects OBJECT ${limb_sim_sources})
limb_library_flags(limb_sim_objects)
limb_plain_flags(limb_sim_objects)
if(LIMB_SUNDIALS_FOUND)
  target_compile_definitions(limb_sim_objects PRIVATE LIMB_HAVE_SUNDIALS=1)
  target_include_directories(limb_sim_objects SYSTEM PRIVATE ${LIMB_SUNDIALS_INCLUDE_DIR})
endif()

set(limb_sim_libraries limb_sim_static)
if(LIMB_SHARED)
  add_library(limb_sim SHARED $<TARGET_OBJECTS:limb_sim_objects>)
  set_target_properties(limb_sim PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${limb_soversion}
                                            EXPORT_NAME sim)
  target_link_libraries(limb_sim PUBLIC limb)
  target_link_libraries(limb_sim PRIVATE $<BUILD_INTERFACE:limb_linalg_archive>
                                         $<BUILD_INTERFACE:limb_base_archive>
                                         $<BUILD_INTERFACE:${LIMB_SUNDIALS_LIBRARIES}>)
  target_link_options(limb_sim PRIVATE LINKER:--exclude-libs,ALL)
  list(APPEND limb_sim_libraries limb_sim)
  add_library(limb::sim ALIAS limb_sim)
endif()

add_library(limb_sim_static STATIC $<TARGET_OBJECTS:limb_sim_objects>)
set_target_properties(limb_sim_static PROPERTIES OUTPUT_NAME limb_sim EXPORT_NAME sim_static)
target_link_libraries(limb_sim_static PUBLIC limb_static)
target_link_libraries(limb_sim_static PRIVATE $<BUILD_INTERFACE:${LIMB_SUNDIALS_LIBRARIES}>)

# In a package the solvers are named, as they are called here, not where they were found.
set(limb_pc_sim_private "")
foreach(solver IN LISTS LIMB_SUNDIALS_LIBRARIES)
  get_filename_component(name ${solver} NAME)
  string(APPEND limb_pc_sim_private " -l:${name}")
  target_link_libraries(limb_sim_static PRIVATE $<INSTALL_INTERFACE:-l:${name}>)
endforeach()

foreach(library IN LISTS limb_sim_libraries)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
  limb_instrument(${library} PUBLIC)
endforeach()
add_library(limb::sim_static ALIAS limb_sim_static)
add_dependencies(limb_product ${limb_sim_libraries})
