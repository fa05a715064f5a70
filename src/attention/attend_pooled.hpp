// Attention of which only pooled weights and the output are wanted: keys go by in tiles and no row
// is ever whole (the online softmax of Milakov & Gimelshein 2018, with pooled cells beside the
// output).
#pragma once

#include "mha/attention/attend.hpp"

namespace mha {

// As attend(), for a sink whose column_pool() is set.
void attend_pooled(const AttentionProblem& problem, RowSink& sink, MatrixView concat,
                   const StreamOptions& options);

}  // namespace mha
