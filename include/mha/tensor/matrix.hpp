// Row-major float matrices: one owner and two views. Shapes are checked where they are built;
// element access only asserts.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace mha {

// Memory for a large buffer, in pages of 2 MiB where the system has them: touching it for the first
// time page by page can take longer than working with it. Up to 128 MiB of what is freed are kept
// for the next buffers of the same sizes. nullptr where there is no memory.
constexpr std::size_t kLargeBuffer = std::size_t{4} << 20;
void* allocate_large(std::size_t bytes) noexcept;
void free_large(void* memory, std::size_t bytes) noexcept;

// Leaves new elements uninitialised, so that a large buffer is not written twice.
template <typename T>
struct UninitializedAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  T* allocate(std::size_t n) {
    if (n < kLargeBuffer / sizeof(T)) return std::allocator<T>::allocate(n);
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    void* memory = allocate_large(n * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    if (n < kLargeBuffer / sizeof(T)) return std::allocator<T>::deallocate(memory, n);
    free_large(memory, n * sizeof(T));
  }
  template <typename U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
};

// A vector of floats whose resize() does not clear.
using FloatVector = std::vector<float, UninitializedAllocator<float>>;

// A read-only view of rows x cols floats; row i starts at data + i * stride.
struct ConstMatrix {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  float operator()(std::size_t i, std::size_t j) const {
    assert(i < rows && j < cols);
    return data[i * stride + j];
  }
  std::span<const float> row(std::size_t i) const {
    assert(i < rows);
    return {data + i * stride, cols};
  }
  // Rows [row0, row0 + n_rows) and columns [col0, col0 + n_cols) of this view.
  ConstMatrix block(std::size_t row0, std::size_t n_rows, std::size_t col0,
                    std::size_t n_cols) const {
    assert(row0 + n_rows <= rows && col0 + n_cols <= cols);
    return {data + row0 * stride + col0, n_rows, n_cols, stride};
  }
  ConstMatrix row_range(std::size_t row0, std::size_t n_rows) const {
    return block(row0, n_rows, 0, cols);
  }
  ConstMatrix col_range(std::size_t col0, std::size_t n_cols) const {
    return block(0, rows, col0, n_cols);
  }
};

// A writable view of the same kind.
struct MatrixView {
  float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  float& operator()(std::size_t i, std::size_t j) const {
    assert(i < rows && j < cols);
    return data[i * stride + j];
  }
  std::span<float> row(std::size_t i) const {
    assert(i < rows);
    return {data + i * stride, cols};
  }
  MatrixView block(std::size_t row0, std::size_t n_rows, std::size_t col0,
                   std::size_t n_cols) const {
    assert(row0 + n_rows <= rows && col0 + n_cols <= cols);
    return {data + row0 * stride + col0, n_rows, n_cols, stride};
  }
  MatrixView row_range(std::size_t row0, std::size_t n_rows) const {
    return block(row0, n_rows, 0, cols);
  }
  MatrixView col_range(std::size_t col0, std::size_t n_cols) const {
    return block(0, rows, col0, n_cols);
  }
  // NOLINTNEXTLINE(google-explicit-constructor): a writable view is a readable one
  operator ConstMatrix() const { return {data, rows, cols, stride}; }
};

// Owns rows x cols floats, uninitialised when built by size.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), data_(rows * cols) {}
  Matrix(std::size_t rows, std::size_t cols, FloatVector data)
      : rows_(rows), cols_(cols), data_(std::move(data)) {
    assert(data_.size() == rows_ * cols_);
  }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  bool empty() const { return data_.empty(); }
  float* data() { return data_.data(); }
  const float* data() const { return data_.data(); }
  float& operator()(std::size_t i, std::size_t j) { return view()(i, j); }
  float operator()(std::size_t i, std::size_t j) const { return view()(i, j); }
  MatrixView view() { return {data_.data(), rows_, cols_, cols_}; }
  ConstMatrix view() const { return {data_.data(), rows_, cols_, cols_}; }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  FloatVector data_;
};

Matrix copy_of(ConstMatrix from);
Matrix transposed(ConstMatrix from);
// to = from, of the same shape.
void copy(ConstMatrix from, MatrixView to, std::size_t n_threads);
// to = from^T; `to` has as many rows as `from` has columns.
void transpose(ConstMatrix from, MatrixView to, std::size_t n_threads);
// sum += x, of the same shape.
void add_to(MatrixView sum, ConstMatrix x);
// product *= x element by element, of the same shape.
void multiply_by(MatrixView product, ConstMatrix x);

}  // namespace mha
