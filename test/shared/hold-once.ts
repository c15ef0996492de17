// Tries once to hold a name, and says what came of it.
import { PtcError } from '../../src/shared/errors.ts';
import { holdName } from '../../src/shared/held-names/held-name.ts';

const [, , name = ''] = process.argv;
try {
  const held = await holdName(name);
  console.log(held === undefined ? 'refused' : 'held');
  await held?.release();
} catch (error) {
  if (!PtcError.isInstance(error)) throw error;
  console.log(error.code, error.message);
}
