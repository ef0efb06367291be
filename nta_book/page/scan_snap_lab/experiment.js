// State of the lab: settings, the run they give, where the reader looks.  Knows no page.

import { changed, looks } from "./settings.js";
import { makeClasses, overlaps } from "./classes.js";
import { largestEigenvalue, nearest, normalized } from "./vectors.js";
import { train } from "./dynamics.js";
import { bound, drive, scanEnd, snapTime, theoryOf } from "./theory.js";
import { attentionPath, decoderAt, findSnap } from "./reading.js";

export const VIEWS = ["attention", "logits", "speed", "growth", "decoder"];
export const AXES = ["log", "linear"];

const EARLY = 4; // steps: a log slider is even up to here

export class Experiment {
  constructor(settings, view) {
    this.n = 0; // the class looked at
    this.view = view;
    this.scale = AXES[0];
    this.load(settings);
    this.frame = 0;
  }

  /** Train anew; the reader goes on looking at the same place of the slider. */
  load(settings) {
    const place = this.path ? this.placeOf(this.time) : 0;
    this.settings = settings;
    this.classes = makeClasses(settings);
    const { classes } = this;
    this.n = Math.min(this.n, classes.K - 1);
    this.looks = looks(settings.steps);
    this.path = train(classes, settings, this.looks.all);
    this.attention = attentionPath(classes, this.path);
    this.snap = findSnap(this.path.speeds);
    this.decoder = this.path.answers.map((answers) => decoderAt(classes, answers));
    this.theory = theoryOf(classes, settings);
    this.largest = largestEigenvalue(overlaps(classes));
    this.marks = { snap: snapTime(this.theory), scan: scanEnd(this.theory) };
    this.lookAt(place);
  }

  /** Change one setting. */
  set(name, value) {
    this.load(changed(this.settings, name, value));
  }

  /** "linear" or "log": the time axis. */
  get axis() {
    return this.scale;
  }

  set axis(kind) {
    const { time } = this;
    this.scale = kind;
    this.goto(time);
  }

  /** Times the slider can stand at. */
  get frames() {
    const { times } = this.path;
    return this.looks[this.axis].filter((time) => time <= times.at(-1));
  }

  get time() {
    return this.frames[this.frame];
  }

  /** Number of the look the reader sees. */
  get at() {
    return this.path.times.indexOf(this.time);
  }

  /** Whether the run is seen to its last step. */
  get isOver() {
    return this.frame === this.frames.length - 1;
  }

  /** Look at the time nearest to this one. */
  goto(time) {
    this.frame = nearest(this.frames, time);
  }

  /** Where a time stands on the slider, from 0 to 1; a log one gives the first steps most room. */
  placeOf(time) {
    const end = Math.max(1, this.path.times.at(-1));
    const far = (t) => (this.axis === "log" ? Math.log1p(t / EARLY) : t);
    return Math.min(1, far(time) / far(end));
  }

  /** Look at the time nearest to a place of the slider. */
  lookAt(place) {
    this.frame = nearest(
      this.frames.map((time) => this.placeOf(time)),
      place,
    );
  }

  /** "start", "scan" or "snap": where this run is now; "" if it never moves. */
  get phase() {
    if (!this.snap) return "";
    if (this.time === 0) return "start";
    return this.time > this.snap.peak ? "snap" : "scan";
  }

  /** How far attention moves in the step from a time to the next (in the last one at the end). */
  speed(time) {
    const { speeds } = this.path;
    return speeds[Math.min(time, speeds.length - 1)] ?? 0;
  }

  /** The distinct token with most attention; where several have it, the most frequent one. */
  leader(look) {
    const now = this.attention[look][this.n];
    return this.classes.distinctOf[this.n].reduce(
      (best, token) => (now[token] > now[best] + 1e-12 ? token : best),
      this.classes.top[this.n],
    );
  }

  /** Logit of a token for the query of the class looked at. */
  logit(look, token) {
    const { query, L } = this.classes;
    return this.path.Z[look][query[this.n] * L + token];
  }

  /** Bounds of Theorem 3 on ln χ of the leader at a time, with the paper's drive. */
  growthBounds(time) {
    const { P, top } = this.classes;
    const feature = normalized(P[this.n])[top[this.n]];
    const B = bound(this.theory, time);
    return [2 * feature * feature * B, 2 * B];
  }

  /** Theory's drive of attention at a time. */
  drive(time) {
    return drive(this.theory, time);
  }
}
