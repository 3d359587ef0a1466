// `lanes` reads access patterns, a JSON list of {"width": 4, "elements": [0, 1, …, null]}, each with one
// element or null for every lane of a warp, and writes what the model says of each, as a JSON list.

#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/access.hpp"
#include "model/l1.hpp"
#include "model/shared.hpp"

namespace {

using nlohmann::json;
using weft::model::Element;
using weft::model::Lanes;
using weft::model::warp_size;

Lanes read_lanes(const json& pattern) {
  const json& elements = pattern.at("elements");
  if (elements.size() != warp_size) throw std::invalid_argument("a warp has 32 lanes: 32 elements or nulls");
  return {pattern.at("width").get<int>(), [&](int lane) -> Element {
            const json& element = elements.at(lane);
            if (element.is_null()) return {};
            return element.get<std::int64_t>();
          }};
}

json describe(const Lanes& lanes) {
  json places = json::array();
  for (int lane = 0; lane < warp_size; ++lane) {
    if (!lanes.active(lane)) continue;
    const std::int64_t address = lanes.address(lane);
    json& place = places.emplace_back();
    place["lane"] = lane;
    place["address"] = address;
    place["sector"] = weft::model::sector_of(address);
    place["line"] = weft::model::line_of(address);
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

}  // namespace

int main() {
  try {
    json answers = json::array();
    for (const json& pattern : json::parse(std::cin)) answers.push_back(describe(read_lanes(pattern)));
    std::cout << answers << '\n' << std::flush;
    return std::cout ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::cerr << "lanes: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
