// Training on the whole population: all classes at once, contexts of infinite length.
// The same formulas as nta_beyond.scansnap.train_population; a test compares the numbers.

import { attend } from "./classes.js";

const BETAS = [0.9, 0.999];
const EPSILON = 1e-8;

/** A function that moves a parameter in place, as torch.optim does, and remembers what it needs. */
function makeOptimizer(kind, rate, size) {
  const mean = new Float64Array(size);
  const square = new Float64Array(size);
  const momentum = kind === "momentum" ? 0.9 : 0;
  let steps = 0;
  return (parameter, gradient) => {
    steps++;
    const bias = 1 - BETAS[1] ** steps;
    const pace = rate / (1 - BETAS[0] ** steps);
    for (let i = 0; i < size; i++) {
      const slope = gradient[i];
      if (kind === "adam") {
        mean[i] = BETAS[0] * mean[i] + (1 - BETAS[0]) * slope;
        square[i] = BETAS[1] * square[i] + (1 - BETAS[1]) * slope * slope;
        parameter[i] -= (pace * mean[i]) / (Math.sqrt(square[i] / bias) + EPSILON);
      } else {
        mean[i] = momentum * mean[i] + slope;
        parameter[i] -= rate * mean[i];
      }
    }
  };
}

/** A function that writes the gradients of the mean loss and the decoder's answers α_{n'|n}, and returns the loss. */
function makeSlopes({ P, query, tokensOf, K, L, M }) {
  const C = K + 1;
  const f = new Float64Array(L);
  const g = new Float64Array(L);
  const alpha = new Float64Array(C);
  return (Z, Y, gradZ, gradY, answers) => {
    let loss = 0;
    gradZ.fill(0);
    gradY.fill(0);
    for (let n = 0; n < K; n++) {
      const tokens = tokensOf[n];
      const row = query[n] * L;
      attend(P[n], tokens, Z.subarray(row, row + L), f);
      let squares = 0;
      let highest = -Infinity;
      let sum = 0;
      let along = 0;
      for (const l of tokens) squares += f[l] * f[l];
      alpha.fill(0);
      for (const l of tokens) {
        f[l] /= Math.sqrt(squares);
        for (let j = 0; j < C; j++) alpha[j] += f[l] * Y[l * C + j];
      }
      for (let j = 0; j < C; j++) if (alpha[j] > highest) highest = alpha[j];
      const own = alpha[n] - highest;
      // the last column stands for all M − K tokens that are never an answer
      for (let j = 0; j < C; j++) {
        sum += alpha[j] = Math.exp(alpha[j] - highest) * (j === K ? M - K : 1);
      }
      loss += (Math.log(sum) - own) / K;
      for (let j = 0; j < C; j++) alpha[j] = (j === n ? 1 : 0) - alpha[j] / sum; // from here on the error e_n − α
      for (let j = 0; j < K; j++) answers[n * K + j] = (j === n ? 1 : 0) - alpha[j];
      for (const l of tokens) {
        g[l] = 0;
        for (let j = 0; j < C; j++) {
          g[l] += Y[l * C + j] * alpha[j];
          gradY[l * C + j] -= (f[l] * (j === K ? alpha[j] / (M - K) : alpha[j])) / K;
        }
        along += f[l] * g[l];
      }
      for (const l of tokens) gradZ[row + l] -= (f[l] * (g[l] - f[l] * along)) / K;
    }
    return loss;
  };
}

/**
 * Train from zero and look at the steps of `record` (ascending): logits of all queries, loss, answers.
 * A run that leaves the numbers ends at the last look before it; `broken` is the step at which it did.
 */
export function train(classes, { eta_y, eta_z, optimizer }, record) {
  const { K, L, Q } = classes;
  const sizes = [Q * L, L * (K + 1)];
  const [Z, Y] = sizes.map((size) => new Float64Array(size));
  const [gradZ, gradY] = sizes.map((size) => new Float64Array(size));
  const moveZ = makeOptimizer(optimizer, eta_z, Q * L);
  const moveY = makeOptimizer(optimizer, eta_y, L * (K + 1));
  const slopes = makeSlopes(classes);
  const answers = new Float64Array(K * K);
  const path = { times: [], Z: [], losses: [], answers: [], broken: null };
  for (let step = 0, next = 0; next < record.length; step++) {
    const loss = slopes(Z, Y, gradZ, gradY, answers);
    if (!Number.isFinite(loss)) {
      path.broken = step;
      break;
    }
    if (step === record[next]) {
      path.times.push(step);
      path.Z.push(Z.slice());
      path.losses.push(loss);
      path.answers.push(answers.slice());
      next++;
    }
    moveZ(Z, gradZ);
    moveY(Y, gradY);
  }
  return path;
}
