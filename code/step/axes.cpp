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

const std::vector<std::int64_t>& Setting::operator[](const char* name) const {
  const auto found = std::ranges::find_if(
      parameters_, [&](const Parameter& parameter) { return std::string_view(parameter.name) == name; });
  if (found == parameters_.end()) throw std::out_of_range(std::string("this step has no parameter ") + name);
  return found->values;
}

dim3 Setting::block() const {
  const std::vector<std::int64_t>& extents = (*this)[block_name];
  const auto extent = [&](std::size_t i) {
    return i < extents.size() ? static_cast<unsigned>(extents[i]) : 1;
  };
  return {extent(0), extent(1), extent(2)};
}

const std::vector<std::int64_t>& Setting::values() const {
  const auto found = std::ranges::find_if_not(parameters_, is_block);
  if (found == parameters_.end()) throw std::out_of_range("this step has no parameter but its block");
  return found->values;
}

std::vector<std::int64_t> range(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(last - first + 1));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

Axes::Axes() : combinations_(1) {}

Axes::Axes(dim3 block) : Axes(std::vector<dim3>{block}) {}

Axes::Axes(const std::vector<dim3>& blocks) {
  const auto extents_of = [](const dim3& block) { return block.z > 1 ? 3 : block.y > 1 ? 2 : 1; };
  int most = 1;
  for (const dim3& block : blocks) most = std::max(most, extents_of(block));
  for (const dim3& block : blocks) {
    std::vector<std::int64_t> extents{block.x, block.y, block.z};
    extents.resize(static_cast<std::size_t>(most));
    combinations_.push_back({{block_name, std::move(extents)}});
  }
}

Axes Axes::with(const char* name, const std::vector<std::int64_t>& numbers) const {
  std::vector<std::vector<std::int64_t>> values;
  values.reserve(numbers.size());
  for (const std::int64_t number : numbers) values.push_back({number});
  return with_tuples(name, values);
}

Axes Axes::with_tuples(const char* name, const std::vector<std::vector<std::int64_t>>& values) const {
  Axes longer;
  longer.combinations_.clear();
  for (const Parameters& before : combinations_) {
    for (const std::vector<std::int64_t>& value : values) {
      longer.combinations_.push_back(before);
      longer.combinations_.back().push_back({name, value});
    }
  }
  return longer;
}

std::vector<Setting> Axes::settings() const {
  std::vector<Setting> settings;
  settings.reserve(combinations_.size());
  for (const Parameters& parameters : combinations_) settings.emplace_back(parameters, settings.empty());
  return settings;
}

}  // namespace weft
