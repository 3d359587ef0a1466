#include "check/step.hpp"

#include <utility>

namespace weft {
namespace {

std::vector<Variant>& registry() {
  static std::vector<Variant> all;
  return all;
}

}  // namespace

void add(Variant variant) { registry().push_back(std::move(variant)); }

const std::vector<Variant>& variants() { return registry(); }

std::string to_string(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text;
}

std::string to_string(Kind kind) {
  switch (kind) {
    case Kind::step:
      return "step";
    case Kind::ceiling:
      return "ceiling";
    case Kind::peer:
      return "peer";
  }
  return {};
}

std::string to_string(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, values] : parameters) {
    if (!text.empty()) text += ' ';
    text += name + '=' + to_string(values);
  }
  return text;
}

}  // namespace weft
