// Numbers as all labs write them.

/** A share in whole percent, without its sign; what is not quite nothing or all says so. */
export function percent(share) {
  if (share > 0 && share < 0.005) return "<1";
  if (share < 1 && share > 0.995) return ">99";
  return String(Math.round(100 * share));
}

/** Two decimals with a sign; what would be rounded to zero has none. */
export function signed(value) {
  if (Math.abs(value) < 0.005) return "0";
  return `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`;
}
