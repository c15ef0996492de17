/**
 * Whether all combinations are tested, with `npm run test:all`. Otherwise a combination is left out if others together
 * test the same code: see docs/testing.md.
 */
export const IN_ALL_COMBINATIONS: boolean = process.env['SANDBOXED_PTC_TEST_ALL'] !== undefined;
