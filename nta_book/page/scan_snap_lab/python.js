// Python that repeats the run and prints what the lab shows.

const OPTIMIZERS = { plain: ["sgd", 0], momentum: ["sgd", 0.9], adam: ["adam", 0] };

const REPORT = `
attention = run.attention[step, n]
own = np.flatnonzero(classes.distinct[n])
leader = max(own, key=lambda k: attention[k].round(12))
print(f"step {run.times[step]:.0f} of {run.times[-1]:.0f}, class {n + 1}")
print(f"leader {names[leader]} {attention[leader]:.6f}")
print(f"common {attention[:common].sum():.6f}")
print(f"entropy {ss.distinct_entropy(run.attention[step], classes)[n]:.6f}")
print(f"speed {run.speed[min(step, len(run.speed) - 1)]:.6e}")
print(f"loss {run.losses[step]:.6f}")
print(f"right {run.own_probability[step]:.6f}, leaked {run.leaked_probability[step]:.6f}")
print(f"overlap {ss.class_overlaps(classes.P).largest:.6f}, theory wants less than {1 / K:g}")
for k in np.flatnonzero(classes.P[n]):
    print(f"{names[k]} {attention[k]:.6f}")
`;

const TURN = `
theory = ss.theory_of(classes, eta_y=eta_y, eta_z=eta_z)
snap = ss.find_snap(run)
print(f"turn: measured at step {snap.peak:.0f}, predicted at {theory.t_gamma:.6f}")
`;

/** The program, for the class and the step that are shown. */
export function toPython({ settings, n, time, path, snap }) {
  const { eta_y, eta_z, optimizer, K, queries, common, distinct, unused } = settings;
  const { common_weight, lowest, highest, shared } = settings;
  const [kind, momentum] = OPTIMIZERS[optimizer];
  const steps = path.times.at(-1); // fewer than asked for when the numbers grew too large
  return [
    "# The run of the lab, and the numbers it shows.",
    "import numpy as np",
    "",
    "import nta_beyond.scansnap as ss",
    "",
    `K, common, eta_y, eta_z = ${K}, ${common}, ${eta_y}, ${eta_z}`,
    "classes = ss.make_classes(",
    `    K, queries=${queries}, common=common, distinct=${distinct}, unused=${unused},`,
    `    common_weight=${common_weight}, lowest=${lowest}, highest=${highest},`,
    `    shared=${shared ?? "None"},`,
    ")",
    shared === null ? "names = classes.names" : 'names = [*classes.names[:-1], "shared"]',
    "run = ss.train_population(",
    `    classes, eta_y=eta_y, eta_z=eta_z, steps=${steps},`,
    `    optimizer="${kind}", momentum=${momentum.toFixed(1)},`,
    ")",
    `step, n = ${time}, ${n}  # what is looked at; classes count from 0 here`,
    REPORT.trim(),
    ...(snap && steps > 2 ? [TURN.trim()] : []),
    "",
  ].join("\n");
}
