// When a page is there.

/**
 * Call `start` when everything that the page loads is there: deferred scripts run before
 * DOMContentLoaded.
 */
export function whenLoaded(start) {
  if (document.readyState === "complete") start();
  else addEventListener("DOMContentLoaded", start);
}
