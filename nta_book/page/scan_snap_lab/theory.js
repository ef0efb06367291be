// The paper's closed forms (Theorems 1, 3 and 4), as nta_beyond.scansnap has them.

import { overlaps } from "./classes.js";
import { sum } from "./vectors.js";

/** Constants of the curves; C0 is infinite when nothing is shared, so that B stays 0. */
export function theoryOf(classes, { eta_y, eta_z }) {
  const { K, M } = classes;
  const overlap = sum(overlaps(classes).flat()) / (K * (K - 1));
  const perClass = eta_z / K; // a training takes the mean over classes
  return { K, M, eta_y, eta_z: perClass, C0: 1 / ((K - 1) * overlap ** 2) };
}

/** u = M·h(t), the solution of e^u + (M − 1) u = M η_Y t / K + 1, by Newton from above. */
function height({ K, M, eta_y }, t) {
  const visits = (M * eta_y * t) / K + 1;
  let u = Math.min(Math.log(visits), visits / (M - 1));
  for (let step = 0; step < 60; step++) {
    const move = (Math.exp(u) + (M - 1) * u - visits) / (Math.exp(u) + M - 1);
    u -= move;
    if (Math.abs(move) < 1e-15 * (1 + Math.abs(u))) break;
  }
  return u;
}

/** Drive γ of attention (Theorem 1): rises like t, falls like ln t / t. */
export function drive(theory, t) {
  const u = height(theory, t);
  const { M } = theory;
  return ((M - 1) ** 2 * u) / M / (M - 1 + Math.exp(u));
}

/** B of Theorem 4, with its constant of integration: B(0) = 0. */
export function bound(theory, t) {
  const { K, M, eta_y, eta_z, C0 } = theory;
  const h = height(theory, t) / M;
  return 0.25 * Math.log1p((2 * eta_z * K * ((M - 1) * h) ** 2) / eta_y / C0);
}

/** Time of the largest drive: (u − 1) e^u = M − 1. */
export function snapTime({ K, M, eta_y }) {
  let u = Math.log(M);
  for (let step = 0; step < 60; step++) u -= ((u - 1) * Math.exp(u) - (M - 1)) / (u * Math.exp(u));
  return (K / (M * eta_y)) * (Math.exp(u) + (M - 1) * u - 1);
}

/** End of scanning t0′ = K ln M / η_Y; snapping begins at twice that time, t0. */
export const scanEnd = ({ K, M, eta_y }) => (K * Math.log(M)) / eta_y;
