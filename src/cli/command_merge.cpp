// `mha-viz merge`: the partial results of `score --shard I/N` as one.
#include <map>
#include <unistd.h>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"

#include "commands.hpp"
#include "partial_scores.hpp"
#include "score_presenter.hpp"

namespace mha::cli {
namespace {

PartialScores read_part(const std::string& path, std::size_t max_bytes) {
  const FileBytes bytes = path == "-" ? FileBytes::read_all(STDIN_FILENO, path, max_bytes)
                                      : FileBytes::open(path, max_bytes);
  try {
    return read_partial(bytes.text());
  } catch (const Error& error) {
    throw error.at(path);
  }
}

// Parts must be of one run, each of them once.
class PartList {
 public:
  void add(const std::string& path, PartialScores part);
  ScoreRun merged() const;

 private:
  std::map<std::size_t, std::string> paths_;  // by the index of the shard
  std::size_t n_shards_ = 0;
  std::string source_;
  ScoreRun run_;
};

void PartList::add(const std::string& path, PartialScores part) {
  if (paths_.empty()) {
    n_shards_ = part.shard.count;
    run_.settings = part.run.settings;
    source_ = part.source;
  }
  if (part.shard.count != n_shards_) {
    fail_input(concat(path, ": is a part of another run; expected one of ", n_shards_,
                      " shards, got one of ", part.shard.count));
  }
  if (part.run.settings != run_.settings) {
    fail_input(path + ": was scored with other flags than " + paths_.begin()->second);
  }
  if (part.source != source_) {
    fail_input(path + ": was scored from other inputs than " + paths_.begin()->second);
  }
  if (const auto known = paths_.find(part.shard.index); known != paths_.end()) {
    fail_input(concat(path, ": is shard ", part.shard.index, " again, after ", known->second));
  }
  paths_[part.shard.index] = path;
  run_.merge(part.run);
}

ScoreRun PartList::merged() const {
  std::vector<std::string> missing;
  for (std::size_t i = 1; i <= n_shards_; ++i) {
    if (!paths_.contains(i)) missing.push_back(std::to_string(i));
  }
  if (!missing.empty()) {
    fail_input(concat(missing.size() == 1 ? "shard " : "shards ", join(missing, ", "),
                      missing.size() == 1 ? " is" : " are", " missing; expected all ", n_shards_));
  }
  return run_;
}

}  // namespace

int command_merge(const MergeOptions& options, Console& console) {
  picture_style(options.picture);
  const ScorePresenter presenter(options.view, options.figure, options.picture, console);
  if (presenter.lists_thresholds()) {
    presenter.print_thresholds();
    return 0;
  }
  if (options.parts.empty()) fail_usage("no parts", "name the files that score --shard I/N wrote");
  for (const std::string& path : options.parts) presenter.check_not_output(path);
  PartList parts;
  for (const std::string& path : options.parts) {
    parts.add(path, read_part(path, options.resources.memory));
  }
  const ScoreRun run = parts.merged();
  if (run.totals.inputs == 0) fail_input("no part holds an input that could be read");
  const int code = presenter.present(run);
  if (run.totals.failed > 0) {
    console.warning(concat(run.totals.failed, " inputs could not be read when they were scored"));
  }
  if (code != 0) return code;
  return run.totals.failed > 0 ? kSomeFailed : 0;
}

}  // namespace mha::cli
