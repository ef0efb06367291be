// Sums, lengths and products of lists of numbers.

export const sum = (values) => values.reduce((total, value) => total + value, 0);
export const dot = (a, b) => a.reduce((total, value, i) => total + value * b[i], 0);

/** Divide by the Euclidean length. */
export function normalized(values) {
  const length = Math.sqrt(dot(values, values));
  return values.map((value) => value / length);
}

/** Place of the value nearest to a number. */
export function nearest(values, number) {
  const distance = (i) => Math.abs(values[i] - number);
  return values.reduce((best, _, i) => (distance(i) < distance(best) ? i : best), 0);
}

/** Largest |eigenvalue| of a symmetric matrix, by power iteration on its square. */
export function largestEigenvalue(matrix) {
  const times = (vector) => matrix.map((row) => dot(row, vector));
  let vector = matrix.map((_, i) => 1 + i / 7);
  let size = 0;
  for (let step = 0; step < 200; step++) {
    const next = times(times(vector));
    const length = Math.hypot(...next);
    if (!length) return 0;
    size = Math.sqrt(length / Math.hypot(...vector));
    vector = next.map((value) => value / length);
  }
  return size;
}
