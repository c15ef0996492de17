// @ts-check
// The conversations of all users. An orchestrator is created for each message and closed after the
// answer. The messages are in the store, and the variables in a session that the executor keeps for
// the conversation's id while it has room. So this process does not accumulate anything.
import { randomUUID } from 'node:crypto';
import { ProgrammaticToolOrchestrator, sqliteStore } from 'sandboxed-ptc';

/** @typedef {Omit<import('sandboxed-ptc').OrchestratorOptions, 'store' | 'session' | 'labels'>} Settings */

export class Conversations {
  /** @type {Set<{ id: string, orchestrator: ProgrammaticToolOrchestrator, signal: AbortSignal }>} */
  #running = new Set();
  #settings;
  #insert;
  #select;
  #selectAll;

  /**
   * @param {import('sandboxed-ptc').SqliteDatabase} database
   * @param {Settings} settings what all conversations have in common
   */
  constructor(database, settings) {
    this.#settings = { ...settings, store: sqliteStore({ database }) };
    this.#insert = database.prepare('INSERT INTO conversations VALUES (?, ?, ?, ?)');
    this.#select = database.prepare('SELECT id FROM conversations WHERE id = ? AND user = ?');
    this.#selectAll = database.prepare(
      'SELECT id, title FROM conversations WHERE user = ? ORDER BY started_at DESC LIMIT 100',
    );
  }

  /**
   * @param {string} user
   * @param {string} title
   */
  start(user, title) {
    const id = randomUUID();
    this.#insert.run(id, user, title, Date.now());
    return id;
  }

  /** @param {string} user */
  listOf(user) {
    return this.#selectAll.all(user);
  }

  /**
   * Whether the conversation exists and belongs to the user. Other users cannot tell whether it
   * exists.
   * @param {string} id
   * @param {string} user
   */
  belongsTo(id, user) {
    return this.#select.all(id, user).length > 0;
  }

  /**
   * Whether somebody is reading an answer of the conversation.
   * @param {string} id
   */
  isRunning(id) {
    return [...this.#running].some((run) => run.id === id && !run.signal.aborted);
  }

  /**
   * The messages of a conversation. If a run is in progress, or was left by a killed process, they
   * say what is known about it.
   * @param {string} id
   * @param {string} user
   */
  async messagesOf(id, user) {
    const run = [...this.#running].find((one) => one.id === id);
    if (run !== undefined) return run.orchestrator.toJSON().messages;
    const orchestrator = this.#open(id, user);
    await orchestrator.load();
    await orchestrator.close();
    return orchestrator.messages;
  }

  /**
   * Sends the model a message and yields the events, until it has answered or the signal fires.
   * Waits for a run that is still stopping.
   * @param {string} id
   * @param {string} user
   * @param {string} text
   * @param {AbortSignal} signal
   */
  async *say(id, user, text, signal) {
    const run = { id, orchestrator: this.#open(id, user), signal };
    this.#running.add(run);
    try {
      for await (const event of run.orchestrator.stream(text, { signal })) {
        // The reader may send the next message as soon as it has the last event.
        if (event.type === 'run-ended' || event.type === 'run-failed') this.#running.delete(run);
        yield event;
      }
    } finally {
      this.#running.delete(run);
      await run.orchestrator.close();
    }
  }

  /** Ends all runs. Their readers are notified. */
  async close() {
    await Promise.all([...this.#running].map(({ orchestrator }) => orchestrator.close()));
  }

  /**
   * @param {string} id
   * @param {string} user
   */
  #open(id, user) {
    return new ProgrammaticToolOrchestrator({
      ...this.#settings,
      sessionKey: id,
      labels: { user, conversation: id },
    });
  }
}
