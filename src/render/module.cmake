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
    render/curves.cpp
    render/embedded_font.cpp
    render/font.cpp
    render/figure_file.cpp
    render/fit_width.cpp
    render/font_for_pdf.cpp
    render/font_raster.cpp
    render/formula.cpp
    render/formula_box.cpp
    render/glyph_mask.cpp
    render/grid.cpp
    render/grid_plan.cpp
    render/heatmap.cpp
    render/kitty.cpp
    render/html_assets.cpp
    render/html_text.cpp
    render/legend.cpp
    render/lines.cpp
    render/markers.cpp
    render/name_places.cpp
    render/overlay.cpp
    render/page.cpp
    render/palette.cpp
    render/pdf.cpp
    render/pixel_buffer.cpp
    render/plane.cpp
    render/png.cpp
    render/raster.cpp
    render/scatter.cpp
    render/sheet.cpp
    render/sheet_panel.cpp
    render/sheet_picture.cpp
    render/shrink.cpp
    render/sixel.cpp
    render/style.cpp
    render/terminal_heatmap.cpp
    render/terminal_parts.cpp
    render/terminal_screen.cpp
    render/terminal_sheet.cpp
    render/terminal_sheet_plan.cpp
    render/terminal_table.cpp
    render/terminal_text.cpp
    render/svg.cpp
    render/svg_text.cpp
    render/text_clusters.cpp
    render/text_block.cpp
    render/text_runs.cpp
    render/ticks.cpp
    render/tree.cpp
    render/tree_matrix.cpp
  USES base tensor
  LINKS PkgConfig::CAIRO PkgConfig::FREETYPE2 PkgConfig::HARFBUZZ PkgConfig::UTF8PROC)
target_include_directories(mha_render SYSTEM PRIVATE ${STB_INCLUDE_DIR})
set_source_files_properties(render/embedded_font.cpp PROPERTIES
  COMPILE_DEFINITIONS "MHA_FONT_FILE=\"${MHA_FONT_FILE}\""
  OBJECT_DEPENDS "${MHA_FONT_FILE}")
include(render/html/module.cmake)
