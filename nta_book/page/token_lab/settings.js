// What can be set about a run, and the bounds of the lab that are not those of its text.

export const SETTINGS = {
  normalized: true,
  eta: 0.1,
  shrinking: false,
  loss: "log",
  seed: null,
  speed: 1,
};
export const SPEEDS = [6, 30, 120, 600, 3000, 12000]; // steps per second
export const ETAS = [0.01, 0.03, 0.1, 0.3, 1, 2];
export const LOSSES = ["log", "squared"];
export const SEEDS = [1, 2, 3, 4, 5];
export const MAX_STEPS = 100000;

/** The settings that may change in the middle of a run; another loss or start begins a new one. */
export const MID_RUN = ["eta", "normalized", "shrinking"];
