#include "step/step.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "step/text.hpp"

namespace weft {
namespace {

List<Variant>& all_variants() {
  static List<Variant> all;
  return all;
}

bool without_steps = false;

/// The name of an enumerator, by its number.
template <typename Enumeration, std::size_t count>
std::string name_of(Enumeration value, const std::array<const char*, count>& names) {
  return names.at(static_cast<std::size_t>(value));
}

bool has_repeated(const List<Shape>& shapes) {
  return std::ranges::any_of(shapes,
                             [&](const Shape& shape) { return std::ranges::count(shapes, shape) > 1; });
}

std::string quoted(const Variant& variant) { return std::string("step '") + variant.step.text() + '\''; }

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

std::int64_t Amounts::of(Rating rating) const {
  return std::array{bytes, operations, accesses, elements}.at(static_cast<std::size_t>(rating));
}

Variant::Variant() = default;
Variant::Variant(const Variant&) = default;
Variant::Variant(Variant&&) noexcept = default;
Variant& Variant::operator=(const Variant&) = default;
Variant& Variant::operator=(Variant&&) noexcept = default;
Variant::~Variant() = default;

Variant::Variant(const char* step_name, const Setting& setting)
    : step(step_name), is_default(setting.is_default()), parameters(setting.parameters()) {}

void add(Variant variant) {
  const auto refuse = [&](const char* why) {
    throw std::invalid_argument(quoted(variant) + ' ' + to_string(by_name(variant.parameters)) + ' ' + why);
  };
  if (variant.step == "") refuse("has no name");
  if (!variant.make || !variant.amounts) refuse("says neither how it is made nor what it does");
  if (has_repeated(variant.measured)) refuse("is measured at a shape twice");
  if (has_repeated(variant.counted)) refuse("is counted at a shape twice");
  for (const Variant& other : all_variants()) {
    if (other.step != variant.step) continue;
    if (by_name(other.parameters) == by_name(variant.parameters)) refuse("is registered twice");
    if (other.is_default && variant.is_default) refuse("is a second default");
  }
  all_variants().push_back(std::move(variant));
}

void tests_alone() { without_steps = true; }

const List<Variant>& variants() { return all_variants(); }

void register_by(void (*steps)()) {
  steps();
  if (variants().empty() != without_steps) {
    throw std::invalid_argument(without_steps ? "this program says that it has no step, and registers one"
                                              : "this program registers no step");
  }
  for (const Variant& variant : variants()) {
    const auto is_default = [&](const Variant& other) {
      return other.step == variant.step && other.is_default;
    };
    if (std::ranges::none_of(variants(), is_default)) {
      throw std::invalid_argument(quoted(variant) + " has no default variant");
    }
    // What a profiler is to count is chosen by shape and parameters alone.
    if (variant.step != variants().front().step) {
      throw std::invalid_argument(quoted(variant) + ": this program has a step already, " +
                                  quoted(variants().front()));
    }
  }
}

std::vector<std::string> axes(Name step) {
  std::map<std::string, List<Numbers>> values;
  for (const Variant& variant : variants()) {
    if (variant.step != step) continue;
    for (const auto& [name, value] : variant.parameters) {
      auto& known = values[name];
      if (std::ranges::find(known, value) == known.end()) known.push_back(value);
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, different] : values) {
    if (different.size() > 1) names.push_back(name);
  }
  return names;
}

std::string name_of(const Variant& variant, const Shape& shape) {
  return std::string(variant.step.text()) + ' ' + to_string(shape) + ' ' +
         to_string(by_name(variant.parameters));
}

std::string to_string(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text;
}

std::string to_string(Kind kind) {
  return name_of(kind, std::array{"step", "ceiling", "peer", "experiment"});
}

std::string to_string(Rating rating) {
  return name_of(rating, std::array{"bytes", "operations", "accesses", "elements"});
}

std::string to_string(L2 l2) { return name_of(l2, std::array{"cold", "warm", "kept"}); }

std::string to_string(Origin origin) {
  return name_of(origin, std::array{"device", "clock", "profiler", "meter"});
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
