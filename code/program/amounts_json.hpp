#pragma once

/// @file
/// What a launch does, as descriptions and measurements write it.

#include <nlohmann/json.hpp>

#include "step/text.hpp"

namespace weft {

/// The amount that a step is rated by, and the others that are not 0.
inline nlohmann::ordered_json to_json(const Amounts& amounts, Rating rated_by) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const Rating rating : {Rating::bytes, Rating::operations, Rating::accesses, Rating::elements}) {
    if (rating == rated_by || amounts.of(rating) != 0) object[to_string(rating)] = amounts.of(rating);
  }
  return object;
}

}  // namespace weft
