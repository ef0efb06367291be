// What figures and widgets have in common: the data they carry, the boxes inside them, their end.

/** The JSON that an element of the built page carries. */
export function payload(el) {
  return JSON.parse(el.querySelector(':scope > script[type="application/json"]').textContent);
}

/** The child with this class, made if there is none. */
export function boxIn(el, className) {
  let box = [...el.children].find((child) => child.classList.contains(className));
  if (!box) {
    box = document.createElement("div");
    box.className = className;
    el.append(box);
  }
  return box;
}

/** Say in the place of the thing itself why it is not there. */
export function fail(el, what, error) {
  el.dataset.state = "error";
  const note = boxIn(el, "nta-error");
  note.setAttribute("role", "alert");
  note.textContent = `${what}: ${error.message}`;
  console.error(error);
}
