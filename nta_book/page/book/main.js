// The page runtime: draws pictures and hosts widgets with no kernel and no network.
//
// window.nta.drawPanel(el, panel)  draw or update a picture in el (a promise)
// window.nta.whenNear(el, start)   call start(el) once, when el comes near the screen
// window.nta.drawAll()             start everything at once (a promise)

import { startAll, whenNear } from "./nearby.js";
import { drawFigure, drawPanel, followTheme } from "./pictures.js";
import { mendStorage } from "./storage.js";
import { whenLoaded } from "../shared/page.js";
import { mountWidget } from "./widgets.js";

mendStorage();
globalThis.nta = { drawPanel, whenNear, drawAll: startAll };

whenLoaded(() => {
  for (const figure of document.querySelectorAll("figure.nta-fig:not([data-state])")) {
    whenNear(figure, drawFigure);
  }
  for (const widget of document.querySelectorAll(".nta-widget:not([data-state])")) {
    whenNear(widget, mountWidget);
  }
  new MutationObserver(followTheme).observe(document.documentElement, {
    attributes: true,
    attributeFilter: ["data-theme"],
  });
  addEventListener("beforeprint", startAll);
});
