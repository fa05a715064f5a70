# cmake -P: joins the ES modules of the interactive page into one script, and its style sheets into
# one, without any other tool.
#
#   FOLDER   where the sources are
#   MODULES  their names, each after those whose values it needs while it loads
#   STYLES   names of style sheets
#   SCRIPT, STYLE, HASH  files to write; HASH is a header with the script's hash for the page's
#                        Content-Security-Policy
#
# All modules share one scope in the joined script, so that every top-level name must be unique.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" MODULES "${MODULES}")
string(REPLACE "," ";" STYLES "${STYLES}")

# "0123..." (hexadecimal) as base64: 12 bits at a time.
function(to_base64 hex out)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  foreach(at RANGE 0 60 3)
    string(SUBSTRING "${hex}" ${at} 3 digits)
    math(EXPR first "0x${digits} >> 6")
    math(EXPR second "0x${digits} & 63")
    string(SUBSTRING "${alphabet}" ${first} 1 first)
    string(SUBSTRING "${alphabet}" ${second} 1 second)
    string(APPEND text "${first}${second}")
  endforeach()
  # The last of 64 digits has 4 bits, which two zero bits fill up.
  string(SUBSTRING "${hex}" 63 1 digit)
  math(EXPR last "0x${digit} << 2")
  string(SUBSTRING "${alphabet}" ${last} 1 last)
  set(${out} "${text}${last}=" PARENT_SCOPE)
endfunction()

file(GLOB found RELATIVE "${FOLDER}" "${FOLDER}/*.js")
foreach(name IN LISTS found)
  if(NOT name IN_LIST MODULES)
    message(FATAL_ERROR "${FOLDER}/${name} is not among the modules of the page")
  endif()
endforeach()

set(script "(() => {\n'use strict';\n")
set(names "")
foreach(name IN LISTS MODULES)
  file(READ "${FOLDER}/${name}" text)
  string(PREPEND text "\n")
  # Imports go, as all names are in one scope; renaming ones cannot.
  if(text MATCHES "\nimport[^;]* as [^;]*;")
    message(FATAL_ERROR "${name}: an import must not rename")
  endif()
  string(REGEX REPLACE "\nimport[^;]*from '[^']*';" "" text "${text}")
  string(REGEX REPLACE "\nexport ((async )?function|const|let|class)" "\n\\1" text "${text}")
  if(text MATCHES "\n(export|import) ")
    message(FATAL_ERROR "${name}: only named exports of declarations, and static imports")
  endif()
  string(REGEX MATCHALL "\n((async )?function[*]?|const|let|class) [A-Za-z_$][A-Za-z0-9_$]*" found
    "${text}")
  foreach(declaration IN LISTS found)
    string(REGEX REPLACE ".* " "" declared "${declaration}")
    if(declared IN_LIST names)
      message(FATAL_ERROR "${name}: another module declares ${declared}, too")
    endif()
    list(APPEND names "${declared}")
  endforeach()
  string(APPEND script "\n// ${name}${text}")
endforeach()
string(APPEND script "\nstartPage();\n})();\n")
# The page holds the script as it is; a browser would end it here.
string(TOLOWER "${script}" lower)
if(lower MATCHES "</script" OR lower MATCHES "<!--" OR lower MATCHES "\r")
  message(FATAL_ERROR "the joined script holds </script, <!-- or a carriage return")
endif()

set(style "")
foreach(name IN LISTS STYLES)
  file(READ "${FOLDER}/${name}" text)
  string(APPEND style "${text}")
endforeach()
string(TOLOWER "${style}" lower)
if(lower MATCHES "</style")
  message(FATAL_ERROR "the joined style sheet holds </style")
endif()

string(SHA256 hex "${script}")
to_base64("${hex}" hash)
file(WRITE "${SCRIPT}" "${script}")
file(WRITE "${STYLE}" "${style}")
file(WRITE "${HASH}" "#define MHA_PAGE_SCRIPT_HASH \"sha256-${hash}\"\n")
