// Moves of agents. The server loads an agent for its first move, which takes seconds for a large net.

/** @import { NamedMove, Position } from "../types.js" */
import { page } from "../page/page.js";

/** Asks for moves; onChange() is called when isLoading has become true, and when the agent is loaded. */
export class Loader {
  isLoading = false;
  /** Agents with which this page has played. @type {Set<string>} */
  #loaded = new Set();

  constructor(/** @type {() => void} */ onChange) {
    this.onChange = onChange;
  }

  /**
   * Return the move of an agent.
   * @param {{position: Position, agent: string, seconds?: number, clock?: number}} question
   * @param {AbortSignal} signal @returns {Promise<NamedMove>}
   */
  async move(question, signal) {
    const { position: { game }, agent, seconds } = question, key = JSON.stringify([game, agent, seconds]);
    if (!this.#loaded.has(key)) {
      this.isLoading = true;
      this.onChange();
      await page.ask("prepare", question, signal).finally(() => { this.isLoading = false; });
      this.#loaded.add(key);
      this.onChange();
    }
    return page.ask("move", question, signal);
  }
}
