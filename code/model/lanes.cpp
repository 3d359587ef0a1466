// `model lanes` reads access patterns, a list of {"width": 4, "elements": [0, 1, …, null]}, each with one
// element or null for every lane of a warp, and writes what the model says of each, as a list.

#include <stdexcept>
#include <string>
#include <vector>

#include "model/access.hpp"
#include "model/answers.hpp"
#include "model/l1.hpp"
#include "model/shared.hpp"

namespace weft::on_lanes {

using answers::Json;
using model::Element;
using model::Lanes;
using model::warp_size;

Lanes read_lanes(const Json& pattern) {
  const Json& elements = pattern.at("elements");
  if (elements.size() != warp_size) throw std::invalid_argument("a warp has 32 lanes: 32 elements or nulls");
  return {pattern.at("width").get<int>(), [&](int lane) -> Element {
            const Json& element = elements.at(lane);
            if (element.is_null()) return {};
            return element.get<std::int64_t>();
          }};
}

Json describe(const Lanes& lanes) {
  Json places = Json::array();
  for (int lane = 0; lane < warp_size; ++lane) {
    if (!lanes.active(lane)) continue;
    const std::int64_t address = lanes.address(lane);
    Json& place = places.emplace_back();
    place["lane"] = lane;
    place["address"] = address;
    place["sector"] = model::sector_of(address);
    place["line"] = model::line_of(address);
  }
  return {{"requests", requests(lanes)},
          {"sectors", sectors(lanes)},
          {"lines", lines(lanes)},
          {"wanted_bytes", wanted_bytes(lanes)},
          {"tag_wavefronts", tag_wavefronts(lanes)},
          {"data_wavefronts", data_wavefronts(lanes)},
          {"shared_load_wavefronts", shared_load_wavefronts(lanes)},
          {"shared_store_wavefronts", shared_store_wavefronts(lanes)},
          {"places", std::move(places)}};
}

}  // namespace weft::on_lanes

weft::answers::Json weft::answers::lanes(const Json& patterns) {
  Json answers = Json::array();
  for (const Json& pattern : patterns) answers.push_back(on_lanes::describe(on_lanes::read_lanes(pattern)));
  return answers;
}
