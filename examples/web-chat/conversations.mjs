// @ts-check
// The conversations of all users. An orchestrator is created for each message and closed after the
// answer. The messages are in the store, and the variables in a session that the executor keeps for
// the conversation's id while it has room. So this process does not accumulate anything.
import { randomUUID } from 'node:crypto';
import { ProgrammaticToolOrchestrator, PtcError, sqliteStore } from 'sandboxed-ptc';
import { pictureId } from './files.mjs';

/** @typedef {Omit<import('sandboxed-ptc').OrchestratorOptions, 'store' | 'session' | 'labels'>} Settings */

export class Conversations {
  /**
   * @typedef {{ mediaType: string, data: string }} Picture
   * @typedef {object} Run
   * @property {string} id of the conversation
   * @property {ProgrammaticToolOrchestrator} orchestrator
   * @property {AbortSignal} signal
   */
  /** @type {Set<Run>} */
  #running = new Set();
  #settings;
  #insert;
  #select;
  #selectAll;
  #insertPicture;
  #selectPicture;

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
    // The messages have the pictures too, but would all have to be read for one of them.
    this.#insertPicture = database.prepare('INSERT OR IGNORE INTO pictures VALUES (?, ?, ?, ?)');
    this.#selectPicture = database.prepare(
      'SELECT media_type AS mediaType, data FROM pictures WHERE conversation = ? AND id = ?',
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
   * The messages and files of a conversation. If a run is in progress, or was left by a killed process, the
   * messages say what is known about it.
   * @param {string} id
   * @param {string} user
   */
  async documentOf(id, user) {
    const document = this.#runOf(id)?.orchestrator.toJSON();
    // Until a run has read the conversation, only the store has its messages.
    if (document !== undefined && document.messages.length > 0) return document;
    const orchestrator = this.#open(id, user);
    await orchestrator.load();
    await orchestrator.close();
    return orchestrator.toJSON();
  }

  /**
   * A picture that a program of the conversation has shown.
   * @param {string} id
   * @param {string} picture
   */
  pictureOf(id, picture) {
    const [found] = /** @type {Picture[]} */ (this.#selectPicture.all(id, picture));
    return found;
  }

  /**
   * The bytes of a file that the user has uploaded.
   * @param {string} id
   * @param {string} user
   * @param {string} name
   */
  async fileOf(id, user, name) {
    const { files = [] } = await this.documentOf(id, user);
    if (!files.some((file) => file.name === name)) return undefined;
    const orchestrator = this.#open(id, user);
    try {
      await orchestrator.load();
      return await orchestrator.files.read(`inputs/${name}`);
    } catch (error) {
      // A program has removed it, for example.
      if (PtcError.isInstance(error) && error.code === 'FILE_FAILED') return undefined;
      throw error;
    } finally {
      await orchestrator.close();
    }
  }

  /**
   * Sends the model a message and yields the events, until it has answered or the signal fires.
   * Waits for a run that is still stopping.
   * @param {string} id
   * @param {string} user
   * @param {import('sandboxed-ptc').RunInput} input
   * @param {AbortSignal} signal
   */
  async *say(id, user, input, signal) {
    /** @type {Run} */
    const run = { id, orchestrator: this.#open(id, user), signal };
    this.#running.add(run);
    try {
      for await (const event of run.orchestrator.stream(input, { signal })) {
        if (event.type === 'program-ended') this.#keepPictures(id, event.result?.images ?? []);
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
   * @param {readonly Picture[]} pictures
   */
  #keepPictures(id, pictures) {
    for (const picture of pictures) {
      this.#insertPicture.run(id, pictureId(picture), picture.mediaType, picture.data);
    }
  }

  /** @param {string} id */
  #runOf(id) {
    return [...this.#running].find((run) => run.id === id);
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
