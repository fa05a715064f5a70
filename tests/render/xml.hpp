// A strict reader of the XML that is written here: elements, attributes, texts.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace mha::render {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // directly inside
};

// Throws std::runtime_error for what is not well-formed. Knows five entities and &#39;, no
// comments, no CDATA: nothing of that kind is written.
class XmlReader {
 public:
  static std::vector<XmlElement> read(const std::string& text) { return XmlReader(text).all(); }

 private:
  explicit XmlReader(const std::string& text) : text_(text) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at " + std::to_string(at_) + ": " + text_.substr(at_, 40));
  }
  bool is_next(const std::string& what) const { return text_.compare(at_, what.size(), what) == 0; }
  void expect(const std::string& what) {
    if (!is_next(what)) fail("expected " + what);
    at_ += what.size();
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '-' || text_[at_] == ':')) {
      ++at_;
    }
    if (at_ == begin) fail("expected a name");
    return text_.substr(begin, at_ - begin);
  }
  std::string until(char end) {
    std::string out;
    while (at_ < text_.size() && text_[at_] != end) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '<' || (c < 0x20 && c != '\n' && c != '\t')) fail("forbidden character");
      if (c != '&') {
        out += text_[at_++];
        continue;
      }
      const std::size_t semicolon = text_.find(';', at_);
      static const std::map<std::string, char> kEntities = {
          {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"#39", '\''}};
      const auto entity = kEntities.find(text_.substr(at_ + 1, semicolon - at_ - 1));
      if (entity == kEntities.end()) fail("unknown entity");
      out += entity->second;
      at_ = semicolon + 1;
    }
    return out;
  }
  void element() {
    expect("<");
    const std::size_t index = out_.size();
    out_.push_back({name(), {}, {}});
    for (skip_space(); !is_next(">") && !is_next("/>"); skip_space()) {
      const std::string key = name();
      expect("=\"");
      if (!out_[index].attributes.emplace(key, until('"')).second) fail("attribute twice");
      expect("\"");
    }
    if (is_next("/>")) {
      at_ += 2;
      return;
    }
    expect(">");
    while (!is_next("</")) {
      if (at_ >= text_.size()) fail("no end");
      if (is_next("<")) {
        element();
      } else {
        out_[index].text += until('<');
      }
    }
    expect("</" + out_[index].name + ">");
  }
  std::vector<XmlElement> all() {
    expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    element();
    expect("\n");
    if (at_ != text_.size()) fail("something after the end");
    return std::move(out_);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<XmlElement> out_;
};

}  // namespace mha::render
