#include "step/step.hpp"

#include <utility>

namespace weft {
namespace {

std::vector<Variant>& all_variants() {
  static std::vector<Variant> all;
  return all;
}

}  // namespace

void unavailable(const char* why) { throw Unavailable(why); }

void fail(const char* what, int status) {
  throw std::runtime_error(status == 0 ? what : what + (' ' + std::to_string(status)));
}

ParameterMap by_name(const Parameters& parameters) {
  ParameterMap map;
  for (const auto& [name, values] : parameters) map.emplace(name, values);
  return map;
}

void add(Variant variant) { all_variants().push_back(std::move(variant)); }

const std::vector<Variant>& variants() { return all_variants(); }

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

std::string to_string(const ParameterMap& parameters) {
  std::string text;
  for (const auto& [name, values] : parameters) {
    if (!text.empty()) text += ' ';
    text += name + '=' + to_string(values);
  }
  return text;
}

}  // namespace weft
