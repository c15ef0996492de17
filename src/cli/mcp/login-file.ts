import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { KeptLogin, LoginStore } from '../../mcp/client/auth/kept-login.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { makeDirectory } from '../../shared/files/make-directory.ts';
import { UNTRUSTED_PATH } from '../../shared/files/own-file.ts';
import { isRecord } from '../../shared/guards.ts';
import { homeDirectory } from '../../shared/home-directory.ts';
import { holdNameWhenFree, type HeldName } from '../../shared/held-names/held-name.ts';
import { UsageError } from '../failure.ts';

const FOR_OTHERS = 0o077;
const MAXIMUM_BYTES = 2 ** 16;

/** How long another process may use a login. It may be stopped. */
const WAIT_S = 60;

/**
 * The directory in the configuration of the user in which logins are kept.
 * @throws UsageError for a user without a home.
 */
function loginDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CONFIG_HOME: given = '' } = environment;
  const home = homeDirectory();
  const parent = isAbsolute(given) ? given : home && join(home, '.config');
  if (parent === undefined) {
    throw new UsageError(
      'The login to an MCP server cannot be kept: this user has no home directory. Set HOME or XDG_CONFIG_HOME to a directory of the user.',
    );
  }
  return join(parent, 'sandboxed-ptc', 'mcp-logins');
}

/**
 * The file in which the login to a server is kept. Only this user can read it; otherwise it is
 * refused. It counts only for the address of the server, so that another server with the same name
 * gets no token of it.
 */
export class LoginFile implements LoginStore {
  readonly #directory: string;
  readonly #path: string;
  readonly #url: string;

  constructor(name: string, url: string | URL, directory: string = loginDirectory()) {
    this.#directory = directory;
    this.#path = join(directory, `${name}.json`);
    this.#url = String(url);
  }

  /** @throws UsageError for a file or directory that others can read, or a file of another kind. */
  async read(): Promise<KeptLogin | undefined> {
    try {
      checkOwn(this.#directory, await lstat(this.#directory), 'directory');
      await using file = await open(this.#path, constants.O_RDONLY | UNTRUSTED_PATH);
      const facts = await file.stat();
      checkOwn(this.#path, facts, 'file');
      if (facts.size > MAXIMUM_BYTES) throw unusable(this.#path, 'it is too large');
      return loginOf(await file.readFile('utf8'), this.#path, this.#url);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error instanceof UsageError ? error : unusable(this.#path, messageOf(error));
    }
  }

  /**
   * Replaces the file at once, so that no process reads half of it.
   * @throws UsageError, also for a login that `read` would refuse.
   */
  async write(login: KeptLogin): Promise<void> {
    const text = JSON.stringify({ url: this.#url, ...login });
    const size = Buffer.byteLength(text);
    if (size > MAXIMUM_BYTES) {
      throw new UsageError(
        `The login cannot be kept at ${this.#path}: it has ${size} bytes, and at most ${MAXIMUM_BYTES} are kept. Put a token into headers of the file of --mcp instead.`,
      );
    }
    const unfinished = `${this.#path}.${randomUUID()}`;
    try {
      await makeDirectory(this.#directory, 0o700);
      checkOwn(this.#directory, await lstat(this.#directory), 'directory');
      await writeFile(unfinished, text, { flag: 'wx', mode: 0o600 });
      await rename(unfinished, this.#path);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      throw error instanceof UsageError ? error : unusable(this.#path, messageOf(error));
    }
  }

  /** @throws UsageError if another process does not end its work; PtcError `NAMES_UNAVAILABLE`. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const held = await this.#hold();
    try {
      return await work();
    } finally {
      await held.release();
    }
  }

  async #hold(): Promise<HeldName> {
    const tooLong = AbortSignal.timeout(WAIT_S * 1000);
    try {
      return await holdNameWhenFree(`mcp-login ${this.#path}`, tooLong);
    } catch (error) {
      if (PtcError.isInstance(error)) throw error;
      const reason = tooLong.aborted
        ? `another process has used it for ${WAIT_S} seconds`
        : messageOf(error);
      throw new UsageError(
        `The login at ${this.#path} cannot be used: ${reason}. Try again later.`,
      );
    }
  }
}

/** Undefined for the login to another server. No message quotes the text. */
function loginOf(text: string, path: string, url: string): KeptLogin | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const { issuer, client, accessToken, ...others } = isRecord(value) ? value : {};
  const { refreshToken, resource, scope, widerScope } = others;
  const isLogin =
    typeof issuer === 'string' &&
    typeof accessToken === 'string' &&
    isRecord(client) &&
    typeof client['client_id'] === 'string' &&
    [refreshToken, resource, scope, widerScope].every(
      (one) => one === undefined || typeof one === 'string',
    );
  if (!isLogin || !isRecord(value)) throw unusable(path, 'it is not a login');
  const { url: own, ...login } = value;
  return own === url ? (login as unknown as KeptLogin) : undefined;
}

function checkOwn(path: string, facts: Stats, kind: 'file' | 'directory'): void {
  const isKind = kind === 'file' ? facts.isFile() : facts.isDirectory();
  if (!isKind) throw unusable(path, `it is not a ${kind}`);
  const userId = process.geteuid?.();
  // Windows has neither user ids nor such modes.
  if (userId === undefined) return;
  if (facts.uid !== userId) throw unusable(path, `it belongs to user ${facts.uid}, not ${userId}`);
  if ((facts.mode & FOR_OTHERS) === 0) return;
  const mode = (facts.mode & 0o777).toString(8);
  throw unusable(path, `others can use it, because its mode is ${mode}`);
}

function unusable(path: string, reason: string): UsageError {
  return new UsageError(
    `The login at ${path} cannot be used: ${reason}. Delete it, and log in again.`,
  );
}
