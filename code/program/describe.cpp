#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "program/commands.hpp"
#include "device/device.hpp"
#include "binary/fingerprint.hpp"
#include "binary/launches.hpp"
#include "model/metric_names.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Shape> run_shapes(const Variant& variant) {
  std::vector<Shape> shapes = variant.measured;
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

Json variant_json(const Variant& variant) {
  Json object{{"step", variant.step},
              {"kind", to_string(variant.kind)},
              {"parameters", variant.parameters},
              {"measured", variant.measured},
              {"counted", variant.counted}};
  if (variant.polls) object["polls"] = true;
  for (const char* name : {"bytes", "flops", "predicted", "fingerprints", "launches"})
    object[name] = Json::object();
  for (const Shape& shape : run_shapes(variant)) {
    const std::string at = to_string(shape);
    if (variant.bytes) object["bytes"][at] = variant.bytes(shape);
    if (variant.flops) object["flops"][at] = variant.flops(shape);
    if (variant.kind == Kind::peer) continue;  // somebody else's kernels: not ours to fingerprint
    const std::unique_ptr<Problem> problem = variant.make(shape);
    const LaunchListener listener;
    problem->launch(nullptr);
    cuda_check(cudaGetLastError());
    cuda_check(cudaDeviceSynchronize());
    object["launches"][at] = launches_json(listener.launches());
    object["fingerprints"][at] = fingerprint(listener.launches());
  }
  if (variant.predict) {
    for (const Shape& shape : variant.counted) {
      Json& metrics = object["predicted"][to_string(shape)] = Json::object();
      for (const auto& [metric, value] : variant.predict(shape)) {
        metrics[std::string(model::name(metric))] = value;
      }
    }
  }
  return object;
}

}  // namespace

void describe() {
  Json all = Json::array();
  for (const Variant& variant : variants()) all.push_back(variant_json(variant));
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").filename().string();
  std::cout << Json{{"program", program}, {"variants", all}}.dump(1) << '\n';
}

}  // namespace weft
