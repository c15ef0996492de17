/** The functions by which a program gives something to its caller: `submit`, `show` and `report`. */

import { provide } from '../names/global-names.mjs';
import { Reports } from './reports.mjs';
import { ShownImages } from './shown-images.mjs';
import { HandedBack } from './values.mjs';

export class OwnFunctions {
  handedBack = new HandedBack();
  #images = new ShownImages();
  #reports = new Reports();

  /** @param {import('../platform.d.ts').Platform} platform */
  provide(platform) {
    provide('submit', this.handedBack.makeFunction());
    provide('show', this.#images.makeFunction(platform));
    provide('report', this.#reports.makeFunction(platform));
  }

  /** Sets the limits of what they send, which the host sends before the first program. */
  configure(settings) {
    this.handedBack.configure(settings);
    this.#images.configure(settings);
  }

  /** Begins a program. */
  start(run) {
    this.handedBack.start(run.executionId);
    this.#images.start(run.executionId);
    this.#reports.start(run);
  }
}
