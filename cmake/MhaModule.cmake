# One compile setting for all of our own code.
add_library(mha_options INTERFACE)
target_include_directories(mha_options INTERFACE "${PROJECT_SOURCE_DIR}/include")
target_compile_features(mha_options INTERFACE cxx_std_20)
target_compile_options(mha_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
  # A multiply and an add are fused only where the code says so: the same source gives the same bits.
  -ffp-contract=off)
target_compile_definitions(mha_options INTERFACE MHA_VERSION="${PROJECT_VERSION}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns wrongly about "literal" + std::string (GCC bug 105651).
  target_compile_options(mha_options INTERFACE -Wno-restrict)
endif()
if(CMAKE_UNITY_BUILD)
  # Several .cpp files are compiled as one: GCC takes them for headers, and what is local to a
  # function of one file may be named like something in another.
  target_compile_options(mha_options INTERFACE -Wno-shadow
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
if(MHA_WERROR)
  target_compile_options(mha_options INTERFACE -Werror)
endif()
if(MHA_SANITIZE)
  target_compile_options(mha_options INTERFACE -fsanitize=${MHA_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(mha_options INTERFACE -fsanitize=${MHA_SANITIZE})
endif()
if(MHA_FUZZ)
  target_compile_options(mha_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# mha_add_module(name SOURCES a.cpp ... USES base ... LINKS PkgConfig::X ...)
#
# Declares the object library mha_<name>. USES names the modules below it, LINKS the third-party
# libraries that only this module may touch; a module that forgets one does not compile or link.
function(mha_add_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINKS" ${ARGN})
  add_library(mha_${name} OBJECT ${ARG_SOURCES})
  target_link_libraries(mha_${name} PUBLIC mha_options Threads::Threads PRIVATE ${ARG_LINKS})
  set_property(GLOBAL PROPERTY MHA_USES_${name} ${ARG_USES})
  set_property(GLOBAL PROPERTY MHA_LINKS_${name} ${ARG_LINKS})
endfunction()

# mha_closure(out module...): the modules and all that they use.
function(mha_closure out)
  set(pending ${ARGN})
  set(seen "")
  while(pending)
    list(POP_FRONT pending module)
    if(NOT module IN_LIST seen)
      list(APPEND seen ${module})
      get_property(uses GLOBAL PROPERTY MHA_USES_${module})
      list(APPEND pending ${uses})
    endif()
  endwhile()
  set(${out} ${seen} PARENT_SCOPE)
endfunction()

# mha_link_modules(target module...) puts modules and all that they use into a program or library.
function(mha_link_modules target)
  mha_closure(modules ${ARGN})
  foreach(module IN LISTS modules)
    get_property(links GLOBAL PROPERTY MHA_LINKS_${module})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:mha_${module}>)
    target_link_libraries(${target} PRIVATE ${links})
  endforeach()
  target_link_libraries(${target} PUBLIC mha_options Threads::Threads)
endfunction()
