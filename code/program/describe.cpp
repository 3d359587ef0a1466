#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "binary/fingerprint.hpp"
#include "binary/mangled_name.hpp"
#include "model/metric_names.hpp"
#include "program/amounts_json.hpp"
#include "program/commands.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

List<Shape> run_shapes(const Variant& variant) {
  List<Shape> shapes = variant.measured;
  for (const Shape& shape : variant.counted) {
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  }
  return shapes;
}

Json launches_json(const std::vector<Launched>& launches) {
  Json array = Json::array();
  for (const Launched& launch : launches) {
    array.push_back({{"kernel", readable_name(launch.kernel)},
                     {"grid", launch.grid},
                     {"block", launch.block},
                     {"dynamic_shared", launch.dynamic_shared}});
    if (launch.cluster[0] != 0) array.back()["cluster"] = launch.cluster;
  }
  return array;
}

std::string operation_name(model::Operation operation) {
  constexpr std::array names{"global_load", "global_store", "global_reduction",
                             "shared_load", "shared_store", "shared_atomic"};
  return names.at(static_cast<std::size_t>(operation));
}

Json line_json(const model::Line& line) {
  Json elements = Json::array();
  for (int lane = 0; lane < model::warp_size; ++lane) {
    const bool active = line.lanes.active(lane);
    elements.push_back(active ? Json(line.lanes.address(lane) / line.lanes.width()) : Json());
  }
  return {{"operation", operation_name(line.operation)},
          {"width", line.lanes.width()},
          {"warps", line.warps},
          {"elements", elements}};
}

/// What is predicted: the sums, and the first of the lines that they are made of. A prediction that goes
/// through the warps one by one has more lines than anybody reads.
void add_prediction(Json& run, const model::Prediction& prediction) {
  constexpr std::size_t most_lines = 128;
  for (const auto& [metric, value] : prediction.metrics()) {
    run["predicted"][std::string(model::name(metric))] = value;
  }
  const std::size_t kept = std::min(most_lines, prediction.lines().size());
  run["lines"] = Json::array();
  for (std::size_t i = 0; i < kept; ++i) run["lines"].push_back(line_json(prediction.lines()[i]));
}

/// What makes a program choose a variant.
std::vector<std::string> choice(const Variant& variant) {
  std::vector<std::string> arguments;
  for (const auto& [name, values] : by_name(variant.parameters)) {
    arguments.insert(arguments.end(), {"--with", name + '=' + to_string(values)});
  }
  return arguments;
}

std::vector<std::string> concatenated(std::vector<std::string> first,
                                      const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Json run_json(const Variant& variant, const Shape& shape) {
  Json run{{"shape", shape},
           {"arguments", concatenated({"--once", to_string(shape)}, choice(variant))},
           {"amounts", to_json(variant.amounts(shape), variant.rated_by)}};
  if (variant.kind != Kind::peer) {  // else somebody else's kernels: not ours to fingerprint
    const Owned<Problem> problem = variant.make(shape);
    const std::vector<Launched> launches = noted_launches(variant, *problem);
    run["fingerprint"] = fingerprint(launches);
    run["launches"] = launches_json(launches);
  }
  const bool counted = std::ranges::find(variant.counted, shape) != variant.counted.end();
  if (counted && variant.predict) add_prediction(run, variant.predict(shape));
  return run;
}

Json quantities_json(const Variant& variant) {
  Json array = Json::array();
  for (const Quantity& quantity : variant.quantities) {
    array.push_back({{"name", quantity.name.text()},
                     {"unit", quantity.unit.text()},
                     {"from", to_string(quantity.origin)}});
  }
  return array;
}

Json variant_json(const Variant& variant) {
  Json object{
      {"step", variant.step.text()},
      {"kind", to_string(variant.kind)},
      {"default", variant.is_default},
      {"parameters", by_name(variant.parameters)},
      {"axes", axes(variant.step)},
      {"rated_by", to_string(variant.rated_by)},
      {"l2", to_string(variant.l2)},
      {"quantities", quantities_json(variant)},
      {"arguments", {{"check", Json::array()}, {"measure", concatenated({"--measure"}, choice(variant))}}},
      {"measured", variant.measured},
      {"counted", variant.counted},
      {"runs", Json::array()}};
  if (variant.curve) object["curve"] = true;
  if (variant.polls) object["polls"] = true;
  for (const Shape& shape : run_shapes(variant)) object["runs"].push_back(run_json(variant, shape));
  return object;
}

}  // namespace

void describe() {
  Json all = Json::array();
  for (const Variant& variant : variants()) all.push_back(variant_json(variant));
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").filename().string();
  std::cout << Json{{"program", program}, {"variants", all}} << '\n';
}

}  // namespace weft
