# The interactive page: small ES modules, joined and copied into the program. A module comes after
# those whose values it needs while it loads.
set(folder "${CMAKE_CURRENT_LIST_DIR}")
set(modules
  colors.js
  scales.js
  axis_labels.js
  map_window.js
  pens.js
  page_parts.js
  head_maps.js
  cell_bitmap.js
  data.js
  state.js
  view_controls.js
  head_model.js
  heatmap_layout.js
  heatmap_figure.js
  heatmap_view.js
  head_panels.js
  head_picker.js
  head_strip.js
  lines_layout.js
  lines_view.js
  sentence_pieces.js
  sentence_view.js
  save_view.js
  grid_model.js
  grid_figure.js
  grid_view.js
  head_view.js
  difference_model.js
  difference_view.js
  matrix_parts.js
  work_slices.js
  tile_lines.js
  heads_table.js
  head_tiles.js
  text_excerpt.js
  text_tiles.js
  color_key.js
  strip_axis.js
  overview.js
  relations_view.js
  name_places.js
  head_map.js
  similarity_view.js
  contribution_view.js
  formula.js
  pair_model.js
  pair_view.js
  steps_view.js
  live_tokenizer.js
  live_model.js
  live_scores.js
  live_arithmetic.js
  live_step_texts.js
  live_steps.js
  live_input.js
  live_view.js
  app.js)
set(styles
  report.css
  overview.css
  pair_view.css
  head_view.css
  grid_view.css
  live_view.css)

set(page_folder "${CMAKE_CURRENT_BINARY_DIR}/page")
set(page_files "${page_folder}/page.js" "${page_folder}/page.css" "${page_folder}/page_hash.inc")
list(TRANSFORM modules PREPEND "${folder}/" OUTPUT_VARIABLE module_files)
list(TRANSFORM styles PREPEND "${folder}/" OUTPUT_VARIABLE style_files)
list(JOIN modules "," module_names)
list(JOIN styles "," style_names)
add_custom_command(OUTPUT ${page_files}
  COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${folder}" "-DMODULES=${module_names}"
          "-DSTYLES=${style_names}" "-DSCRIPT=${page_folder}/page.js"
          "-DSTYLE=${page_folder}/page.css" "-DHASH=${page_folder}/page_hash.inc"
          -P "${PROJECT_SOURCE_DIR}/cmake/JoinPage.cmake"
  DEPENDS ${module_files} ${style_files} "${PROJECT_SOURCE_DIR}/cmake/JoinPage.cmake"
  COMMENT "Joining the modules of the page" VERBATIM)
# For tools that read the sources without building them.
add_custom_target(joined_page DEPENDS ${page_files})
set_source_files_properties(render/html_assets.cpp PROPERTIES
  COMPILE_DEFINITIONS "MHA_PAGE_FOLDER=\"${page_folder}\""
  INCLUDE_DIRECTORIES "${page_folder}"
  OBJECT_DEPENDS "${page_files}")
