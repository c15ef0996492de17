import { PtcError } from '../../shared/errors.ts';

/** Loads the package with a service's client. It is a peer dependency, so it may be missing. */
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
      `${adapter} needs the package ${name}, which could not be loaded. Run: npm install ${name}`,
      { cause: error },
    );
  }
}
