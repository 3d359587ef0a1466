#include "step/axes.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft {
namespace {

constexpr const char* block_name = "block";

bool is_block(const Parameter& parameter) { return parameter.name == std::string_view(block_name); }

}  // namespace

const Numbers& Setting::operator[](const char* name) const {
  const auto found = std::ranges::find_if(
      parameters_, [&](const Parameter& parameter) { return std::string_view(parameter.name) == name; });
  if (found == parameters_.end()) throw std::out_of_range(std::string("this step has no parameter ") + name);
  return found->values;
}

dim3 Setting::block() const {
  const Numbers& extents = (*this)[block_name];
  const auto extent = [&](std::size_t i) {
    return i < extents.size() ? static_cast<unsigned>(extents[i]) : 1;
  };
  return {extent(0), extent(1), extent(2)};
}

const Numbers& Setting::values() const {
  const auto found = std::ranges::find_if_not(parameters_, is_block);
  if (found == parameters_.end()) throw std::out_of_range("this step has no parameter but its block");
  return found->values;
}

Numbers range(std::int64_t first, std::int64_t last) {
  Numbers numbers(static_cast<std::size_t>(last - first + 1));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

Axes::Axes() : combinations_(1) {}

Axes::Axes(dim3 block) : Axes(List<dim3>{block}) {}

Axes::Axes(const List<dim3>& blocks) {
  const auto extents_of = [](const dim3& block) { return block.z > 1 ? 3 : block.y > 1 ? 2 : 1; };
  int most = 1;
  for (const dim3& block : blocks) most = std::max(most, extents_of(block));
  for (const dim3& block : blocks) {
    const unsigned all[]{block.x, block.y, block.z};
    Numbers extents;
    for (int i = 0; i < most; ++i) extents.push_back(all[i]);
    combinations_.push_back({{block_name, extents}});
  }
}

Axes Axes::with(const char* name, const Numbers& numbers) const {
  List<Numbers> values;
  for (const std::int64_t number : numbers) values.push_back({number});
  return with_tuples(name, values);
}

Axes Axes::with_tuples(const char* name, const List<Numbers>& values) const {
  Axes longer;
  longer.combinations_.clear();
  for (const Parameters& before : combinations_) {
    for (const Numbers& value : values) {
      longer.combinations_.push_back(before);
      longer.combinations_.back().push_back({name, value});
    }
  }
  return longer;
}

List<Setting> Axes::settings() const {
  List<Setting> settings;
  for (const Parameters& parameters : combinations_) settings.push_back({parameters, settings.empty()});
  return settings;
}

}  // namespace weft
