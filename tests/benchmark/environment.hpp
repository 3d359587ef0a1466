#pragma once

#include <cstdlib>
#include <string>
#include <utility>

/// An environment variable, set for as long as this lives.
class Environment {
 public:
  Environment(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* const before = std::getenv(name_.c_str())) before_ = before;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { setenv(name_.c_str(), before_.c_str(), 1); }

 private:
  std::string name_;
  std::string before_;
};
