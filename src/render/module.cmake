mha_add_module(render
  SOURCES
    render/axis_labels.cpp
    render/bar_columns.cpp
    render/bar_lines.cpp
    render/bars.cpp
    render/canvas.cpp
    render/cell_painter.cpp
    render/color.cpp
    render/color_bar.cpp
    render/colormap.cpp
    render/embedded_font.cpp
    render/font.cpp
    render/font_raster.cpp
    render/formula.cpp
    render/formula_box.cpp
    render/glyph_mask.cpp
    render/grid.cpp
    render/grid_plan.cpp
    render/heatmap.cpp
    render/legend.cpp
    render/markers.cpp
    render/name_places.cpp
    render/overlay.cpp
    render/page.cpp
    render/palette.cpp
    render/pixel_buffer.cpp
    render/plane.cpp
    render/png.cpp
    render/scatter.cpp
    render/sheet.cpp
    render/sheet_panel.cpp
    render/sheet_picture.cpp
    render/style.cpp
    render/text_block.cpp
    render/text_runs.cpp
    render/ticks.cpp
    render/tree.cpp
    render/tree_matrix.cpp
  USES base tensor
  LINKS PkgConfig::FREETYPE2 PkgConfig::HARFBUZZ)
target_include_directories(mha_render SYSTEM PRIVATE ${STB_INCLUDE_DIR})
set_source_files_properties(render/embedded_font.cpp PROPERTIES
  COMPILE_DEFINITIONS "MHA_FONT_FILE=\"${MHA_FONT_FILE}\""
  OBJECT_DEPENDS "${MHA_FONT_FILE}")
