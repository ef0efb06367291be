// State of the explorer: settings, the run they give, where the reader looks.  Knows no page.

import { changed, looks } from "./settings.js";
import { makeClasses, overlaps } from "./classes.js";
import { largestEigenvalue, nearest, normalized } from "./vectors.js";
import { train } from "./dynamics.js";
import { bound, drive, scanEnd, snapTime, theoryOf } from "./theory.js";
import { attentionPath, decoderAt, findSnap, speeds } from "./reading.js";

export const VIEWS = ["attention", "logits", "speed", "growth", "decoder"];

export class Experiment {
  constructor(settings, view) {
    this.n = 0; // the class looked at
    this.view = view;
    this.axes = {
      attention: "linear",
      logits: "linear",
      speed: "log",
      growth: "log",
      decoder: "linear",
    };
    this.load(settings);
    this.end();
  }

  /** Train anew; the reader goes on looking at the same place of the slider. */
  load(settings) {
    const place = this.path ? this.frame / Math.max(1, this.frames.length - 1) : 1;
    this.settings = settings;
    this.classes = makeClasses(settings);
    const { classes } = this;
    this.n = Math.min(this.n, classes.K - 1);
    this.looks = looks(settings.steps);
    this.path = train(classes, settings, this.looks.all);
    const { times } = this.path;
    this.attention = attentionPath(classes, this.path);
    this.speeds = speeds(times, this.attention);
    this.snap = findSnap(times, this.speeds);
    this.decoder = this.path.answers.map((answers) => decoderAt(classes, answers));
    this.theory = theoryOf(classes, settings);
    this.largest = largestEigenvalue(overlaps(classes));
    this.marks = { snap: snapTime(this.theory), scan: scanEnd(this.theory) };
    this.frame = Math.round(place * (this.frames.length - 1));
  }

  /** Change one setting. */
  set(name, value) {
    this.load(changed(this.settings, name, value));
  }

  /** Look at the end of the run. */
  end() {
    this.frame = this.frames.length - 1;
  }

  /** "linear" or "log": the time axis of the picture shown. */
  get axis() {
    return this.axes[this.view];
  }

  set axis(kind) {
    const { time } = this;
    this.axes[this.view] = kind;
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

  /** Look at the time nearest to this one. */
  goto(time) {
    this.frame = nearest(this.frames, time);
  }

  /** Choose a picture and stay at the time. */
  show(view) {
    const { time } = this;
    this.view = view;
    this.goto(time);
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
