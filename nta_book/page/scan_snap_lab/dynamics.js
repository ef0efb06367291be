// Training on the whole population: all classes at once, contexts of infinite length.
// The same formulas as nta_beyond.scansnap.train_population; a test compares the numbers.

import { attend } from "./classes.js";

const MOMENTUM = 0.9;
const BETAS = [0.9, 0.999];
const EPSILON = 1e-8;

/** A function that moves a parameter in place, as torch.optim does, and remembers what it needs. */
function makeOptimizer(kind, rate, size) {
  const mean = new Float64Array(size);
  const square = new Float64Array(size);
  const momentum = kind === "momentum" ? MOMENTUM : 0;
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

/**
 * A function that writes the gradients of the mean loss and the decoder's answers α_{n'|n}, and
 * returns the loss and how far attention moved since the call before: Σ_l |Δc|, mean over classes.
 * Z is Q × L, Y is L × (K + 1): its last column stands for all M − K tokens that are never an
 * answer.
 */
function makeSlopes({ P, query, tokensOf, K, L, M }) {
  const columns = K + 1;
  const before = new Float64Array(K * L); // attention c of the call before
  const others = M - K;
  const feature = new Float64Array(L); // f, attention divided by its length
  const pull = new Float64Array(L); // g, what the error asks of each token
  const alpha = new Float64Array(columns); // the decoder's logits, its answers, then its error

  /** Write f of class n and the decoder's logits Yᵀf; return how far its attention moved. */
  const forward = (n, Z, Y) => {
    const tokens = tokensOf[n];
    attend(P[n], tokens, Z.subarray(query[n] * L, (query[n] + 1) * L), feature);
    let squares = 0;
    let moved = 0;
    for (const token of tokens) {
      squares += feature[token] * feature[token];
      moved += Math.abs(feature[token] - before[n * L + token]);
      before[n * L + token] = feature[token];
    }
    const length = Math.sqrt(squares);
    alpha.fill(0);
    for (const token of tokens) {
      feature[token] /= length;
      for (let j = 0; j < columns; j++) alpha[j] += feature[token] * Y[token * columns + j];
    }
    return moved;
  };
  /** Turn the logits into the error e_n − α of class n; return its loss. */
  const error = (n) => {
    let highest = -Infinity;
    for (let j = 0; j < columns; j++) {
      if (alpha[j] > highest) highest = alpha[j];
    }
    const own = alpha[n] - highest;
    let total = 0;
    for (let j = 0; j < columns; j++) {
      alpha[j] = Math.exp(alpha[j] - highest) * (j === K ? others : 1);
      total += alpha[j];
    }
    for (let j = 0; j < columns; j++) alpha[j] = (j === n ? 1 : 0) - alpha[j] / total;
    return Math.log(total) - own;
  };
  /** Add what class n contributes to both gradients. */
  const backward = (n, Y, gradZ, gradY) => {
    const tokens = tokensOf[n];
    let along = 0;
    for (const token of tokens) {
      pull[token] = 0;
      for (let j = 0; j < columns; j++) {
        const cell = token * columns + j;
        pull[token] += Y[cell] * alpha[j];
        gradY[cell] -= (feature[token] * (j === K ? alpha[j] / others : alpha[j])) / K;
      }
      along += feature[token] * pull[token];
    }
    for (const token of tokens) {
      const slope = feature[token] * (pull[token] - feature[token] * along);
      gradZ[query[n] * L + token] -= slope / K;
    }
  };
  return (Z, Y, gradZ, gradY, answers) => {
    let loss = 0;
    let moved = 0;
    gradZ.fill(0);
    gradY.fill(0);
    for (let n = 0; n < K; n++) {
      moved += forward(n, Z, Y) / K;
      loss += error(n) / K;
      for (let j = 0; j < K; j++) answers[n * K + j] = (j === n ? 1 : 0) - alpha[j];
      backward(n, Y, gradZ, gradY);
    }
    return { loss, moved };
  };
}

/**
 * Train from zero and look at the steps of `record` (ascending): logits, loss, answers; and note
 * how far attention moves in every single step.  A run that leaves the numbers ends at the last
 * look before; `broken` is the step at which it did.
 */
export function train(classes, { eta_y, eta_z, optimizer }, record) {
  const { K, L, Q } = classes;
  const sizeZ = Q * L;
  const sizeY = L * (K + 1);
  const [Z, gradZ] = [new Float64Array(sizeZ), new Float64Array(sizeZ)];
  const [Y, gradY] = [new Float64Array(sizeY), new Float64Array(sizeY)];
  const moveZ = makeOptimizer(optimizer, eta_z, sizeZ);
  const moveY = makeOptimizer(optimizer, eta_y, sizeY);
  const slopes = makeSlopes(classes);
  const answers = new Float64Array(K * K);
  const path = { times: [], Z: [], losses: [], answers: [], speeds: [], broken: null };
  for (let step = 0, next = 0; next < record.length; step++) {
    const { loss, moved } = slopes(Z, Y, gradZ, gradY, answers);
    if (!Number.isFinite(loss)) {
      path.broken = step;
      path.speeds.length = path.times.at(-1);
      break;
    }
    if (step) path.speeds.push(moved);
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
