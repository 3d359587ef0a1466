#pragma once

/// @file
/// What the program `model` answers: JSON in and out, whose members stand where each is defined.

#include <nlohmann/json.hpp>

/// Each throws an exception that says what is wrong with the question.
namespace weft::answers {

using Json = nlohmann::json;

/// Of each access of a warp, its lanes' elements: the sectors, wavefronts and places that it touches.
Json lanes(const Json& patterns);
/// Of each question about the textbook's DRAM: its number, or its timeline.
Json textbook(const Json& questions);
/// The bandwidth, in bytes a second, with so many bytes in flight.
Json in_flight(const Json& told);
/// Of each launch on a card: its occupancy, its waves, and its least seconds.
Json coarsening(const Json& asked);
/// All memories with real timings; nothing is asked.
Json memories(const Json& nothing);
/// The bandwidth of random runs of each length out of the cards' memories; nothing is asked.
Json random_runs(const Json& nothing);
/// The commands that a controller gives to one channel for the requests asked about.
Json trace(const Json& question);

}  // namespace weft::answers
