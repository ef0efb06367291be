// Names of tokens where there is little room.

const ROOM = 8;

/** A name cut to the width of a chip; characters are counted, not UTF-16 units. */
export function short(name) {
  const characters = [...name];
  return characters.length > ROOM ? `${characters.slice(0, ROOM - 1).join("")}…` : name;
}

/** How many characters of a name are shown. */
export const shownLength = (name) => [...short(name)].length;
