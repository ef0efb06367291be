// The state of the lab as words that an address can hold, and in the address of its page.
//
// A link names the example it starts from and what differs from it, so that people can read it:
// #scan=example=adam&K=3&step=40&view=speed

import { AXES, VIEWS } from "./experiment.js";
import { CHOICES, SLIDERS } from "./settings.js";

const PREFIX = "#scan="; // neither an anchor nor the Token Lab's address starts like this
const LONGEST = 600; // characters
const NONE = "none"; // no shared token
let owner = null; // the one lab of a page that keeps its state in the address

export const isTaken = () => owner !== null;
export const linkTo = (page, code) => page + PREFIX + code;

/** The example that differs least from some settings. */
function nearestExample(presets, settings) {
  const differences = ([, , other]) =>
    Object.keys(settings).filter((name) => settings[name] !== other[name]).length;
  return presets.reduce((best, one) => (differences(one) < differences(best) ? one : best));
}

/** The state as a query; `presets` are [name, label, settings, question] rows. */
export function encodeState({ settings, view, n, axis, time }, presets) {
  const [name, , base] = nearestExample(presets, settings);
  const query = new URLSearchParams({ example: name });
  for (const [key, value] of Object.entries(settings)) {
    if (value !== base[key]) query.set(key, value ?? NONE);
  }
  if (view !== VIEWS[0]) query.set("view", view);
  if (n) query.set("class", n + 1);
  if (axis !== AXES[0]) query.set("time", axis);
  if (time) query.set("step", time);
  return query.toString();
}

function must(holds, why) {
  if (!holds) throw new Error(`The link was not loaded: ${why}.`);
}

/** A number written in digits, or NaN. */
const toNumber = (text) => (/^\d{1,7}(\.\d{1,24})?(e-\d{1,3})?$/.test(text) ? Number(text) : NaN);

/** Whether the lab can show these settings; Python refuses the same ones. */
function areSound(settings) {
  const inRange = SLIDERS.every(({ name, values, whole }) => {
    const value = settings[name];
    if (name === "shared" && value === null) return true;
    return value >= values[0] && value <= values.at(-1) && (!whole || Number.isInteger(value));
  });
  const known = CHOICES.every(({ name, options }) =>
    options.some(([option]) => option === settings[name]),
  );
  return inRange && known && settings.queries <= settings.K && settings.lowest <= settings.highest;
}

/** Read a state and trust nothing: what is odd in any field is refused with a sentence. */
export function decodeState(code, presets) {
  must(code.length <= LONGEST, "it is too long to be a lab");
  const query = new URLSearchParams(code);
  const keys = [...query.keys()];
  must(new Set(keys).size === keys.length, "it says something twice");
  const take = (key, otherwise) => {
    const value = query.get(key) ?? otherwise;
    query.delete(key);
    return value;
  };
  const named = take("example", "");
  const example = presets.find(([name]) => name === named);
  must(example, "it names no example of this lab");
  const view = take("view", VIEWS[0]);
  const axis = take("time", AXES[0]);
  const n = toNumber(take("class", "1")) - 1;
  const time = toNumber(take("step", "0"));
  const settings = { ...example[2] };
  for (const [key, text] of query) {
    must(Object.hasOwn(settings, key), "it sets what this lab does not have");
    if (key === "optimizer") settings[key] = text;
    else settings[key] = key === "shared" && text === NONE ? null : toNumber(text);
  }
  must(areSound(settings), "its settings are out of range");
  must(VIEWS.includes(view) && AXES.includes(axis), "its picture is unknown");
  must(Number.isInteger(n) && n >= 0 && n < settings.K, "it has no such class");
  must(Number.isInteger(time) && time <= settings.steps, "its run is not that long");
  return { settings, view, axis, n, time };
}

/**
 * Keep the state of a lab in the address of the page.  `code()` is the state, `changed()` says
 * whether the reader did anything, `restore(state)` receives a state that was found,
 * `refuse(sentence)` why it was not.
 */
export function keepAddress(root, presets, { code, changed, restore, refuse }) {
  const listening = new AbortController();
  const { signal } = listening;
  owner = root;
  const isOurs = () => location.hash.startsWith(PREFIX);
  const write = (address) => {
    if (changed()) history.replaceState({ ...history.state, ntaScan: code() }, "", address);
  };
  const writeAddress = () => write(PREFIX + code());
  /** In the history only: there the state outlives a jump to a heading, whose address stays. */
  const writeHistory = () => write(location.href);
  const recall = () => {
    const found = isOurs() ? location.hash.slice(PREFIX.length) : history.state?.ntaScan;
    if (!found || found === code()) return;
    try {
      restore(decodeState(found, presets));
    } catch (error) {
      refuse(error.message);
    }
  };
  const follow = () => (isOurs() || history.state?.ntaScan ? recall() : writeHistory());
  const keep = () => (isOurs() || !location.hash ? writeAddress() : writeHistory());
  addEventListener("hashchange", follow, { signal });
  addEventListener("pagehide", keep, { signal });
  const leave = () => {
    listening.abort();
    owner = null;
  };
  return { write: writeAddress, recall, leave };
}
