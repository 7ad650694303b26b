# cmake --install: both libraries, headers, tool, CMake package, pkg-config file. Everything finds
# the rest relative to itself, so that an installed prefix may be moved.
include(CMakePackageConfigHelpers)

set(limb_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/limb)

install(TARGETS limb limb_static EXPORT limbTargets)
if(LIMB_IO)
  install(TARGETS limb_io limb_io_static EXPORT limbTargets)
endif()
if(LIMB_SIM)
  install(TARGETS limb_sim limb_sim_static EXPORT limbTargets)
endif()
if(LIMB_STUDY)
  install(TARGETS limb_study limb_study_static EXPORT limbTargets)
endif()
if(LIMB_CLI)
  install(TARGETS limb_cli)
  install(FILES ${PROJECT_BINARY_DIR}/limb.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PROJECT_BINARY_DIR}/completion/limb
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completion/_limb
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PROJECT_BINARY_DIR}/completion/limb.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/limb TYPE INCLUDE FILES_MATCHING PATTERN *.h)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)

install(EXPORT limbTargets NAMESPACE limb:: DESTINATION ${limb_package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/limbConfig.cmake.in ${PROJECT_BINARY_DIR}/limbConfig.cmake
  INSTALL_DESTINATION ${limb_package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break the ABI.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/limbConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/limbConfig.cmake ${PROJECT_BINARY_DIR}/limbConfigVersion.cmake
        DESTINATION ${limb_package_dir})

# pkg-config replaces ${pcfiledir} by the folder of limb.pc.
set(limb_pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH limb_pc_prefix ${limb_pc_dir} ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH limb_pc_libdir ${limb_pc_dir} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH limb_pc_includedir ${limb_pc_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(limb_packages limb)
if(LIMB_IO)
  list(APPEND limb_packages limb-io)
endif()
if(LIMB_SIM)
  list(APPEND limb_packages limb-sim)
endif()
if(LIMB_STUDY)
  list(APPEND limb_packages limb-study)
endif()
foreach(package IN LISTS limb_packages)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc
                 @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
