#include "mha/io/system_fonts.hpp"

#include <memory>

#include <fontconfig/fontconfig.h>

namespace mha {
namespace {

struct DestroyPattern {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
using Pattern = std::unique_ptr<FcPattern, DestroyPattern>;

// A request for a plain sans-serif face that has this character.
Pattern request_for(char32_t code_point) {
  Pattern request(FcPatternCreate());
  FcCharSet* wanted = FcCharSetCreate();
  FcCharSetAddChar(wanted, code_point);
  FcPatternAddCharSet(request.get(), FC_CHARSET, wanted);
  FcCharSetDestroy(wanted);
  FcPatternAddString(request.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>("sans-serif"));
  FcConfigSubstitute(nullptr, request.get(), FcMatchPattern);
  FcDefaultSubstitute(request.get());
  return request;
}

bool has_glyph(FcPattern* font, char32_t code_point) {
  FcCharSet* characters = nullptr;
  return FcPatternGetCharSet(font, FC_CHARSET, 0, &characters) == FcResultMatch &&
         FcCharSetHasChar(characters, code_point) == FcTrue;
}

}  // namespace

std::optional<FontLocation> find_font_with(char32_t code_point) {
  if (FcInit() != FcTrue) return std::nullopt;
  const Pattern request = request_for(code_point);
  FcResult result = FcResultNoMatch;
  const Pattern font(FcFontMatch(nullptr, request.get(), &result));
  if (!font || !has_glyph(font.get(), code_point)) return std::nullopt;
  FcChar8* file = nullptr;
  int index = 0;
  if (FcPatternGetString(font.get(), FC_FILE, 0, &file) != FcResultMatch) return std::nullopt;
  FcPatternGetInteger(font.get(), FC_INDEX, 0, &index);
  return FontLocation{reinterpret_cast<const char*>(file), index};
}

}  // namespace mha
