// The page runtime: draws pictures and hosts widgets with no kernel and no network.
//
// window.nta.drawPanel(el, panel)  draw or update a picture in el (a promise)
// window.nta.letGo(el)             let go of a picture whose element is taken away (a promise)
// window.nta.whenNear(el, start)   call start(el) once, when el comes near the screen
// window.nta.loadScript(name)      load a script of the book once (a promise)
// window.nta.drawAll()             open and start everything at once (a promise)
// window.nta.openPredictions()     open what follows the questions, choosing nothing
// window.nta.present(number)       turn the page into slides (a promise)
// window.nta.shareLink(address)    copy a link and show it as a QR code (a promise)

import { startAll, whenIdle, whenNear } from "./nearby.js";
import { drawFigure, drawPanel, followTheme, letGo } from "./pictures.js";
import { askAll, openPredictions } from "./predict.js";
import { showPredictions } from "./predictions_page.js";
import { loadScript } from "./scripts.js";
import { keepPlace } from "./steady.js";
import { mendStorage } from "./storage.js";
import { preparePrinting } from "../present/paper.js";
import { offerSlides, present, shareLink } from "../present/start.js";
import { whenLoaded } from "../shared/page.js";
import { mountWidget } from "./widgets.js";

/** Open what is hidden first: a picture without a width cannot be drawn. */
function drawAll() {
  openPredictions();
  return startAll();
}

/** Whether the address or the history holds what a lab was doing. */
const isRemembered = () =>
  /^#(lab|scan)=/.test(location.hash) ||
  history.state?.ntaLab !== undefined ||
  history.state?.ntaTop !== undefined;

mendStorage();
globalThis.nta = {
  drawPanel,
  letGo,
  whenNear,
  loadScript,
  drawAll,
  openPredictions,
  present,
  shareLink,
};

whenLoaded(() => {
  askAll();
  showPredictions();
  for (const figure of document.querySelectorAll("figure.nta-fig:not([data-state])")) {
    whenNear(figure, drawFigure);
  }
  for (const widget of document.querySelectorAll(".nta-widget:not([data-state])")) {
    // A lab that the reader comes back to starts at once, and finds its place on the page again.
    if (isRemembered()) mountWidget(widget);
    else whenIdle(widget, mountWidget);
  }
  new MutationObserver(followTheme).observe(document.documentElement, {
    attributes: true,
    attributeFilter: ["data-theme"],
  });
  keepPlace();
  preparePrinting(startAll);
  offerSlides();
});
