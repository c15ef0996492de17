import { PtcError } from '../shared/errors.ts';

/** Loads the package with a service's client, which is a peer: it may be missing. */
export async function loadSdk<Sdk>(
  name: string,
  adapter: string,
  load: () => Promise<Sdk>,
): Promise<Sdk> {
  try {
    return await load();
  } catch (error) {
    throw new PtcError(
      'MODEL_REQUEST_FAILED',
      `The package ${name} could not be loaded, which ${adapter} needs. Run: npm install ${name}`,
      { cause: error },
    );
  }
}
