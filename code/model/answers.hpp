// What the program `model` answers. Each says what it reads and what it writes where it is defined, and
// throws what is wrong with a question.
#pragma once

#include <nlohmann/json.hpp>

namespace weft::answers {

using Json = nlohmann::json;

Json lanes(const Json& patterns);
Json textbook(const Json& questions);
Json in_flight(const Json& told);
Json coarsening(const Json& asked);
Json memories(const Json& nothing);
Json random_runs(const Json& nothing);
Json trace(const Json& question);

}  // namespace weft::answers
