/** A variable of the host that the program `hostEnvironment` looks for. */
const VARIABLE = 'SANDBOXED_PTC_CONTRACT';

/** Sets the variable, for as long as a provider of a suite is there. */
export function setHostVariable(): void {
  process.env[VARIABLE] = 'S3CRET';
}

/** Removes the variable. */
export function removeHostVariable(): void {
  delete process.env[VARIABLE];
}
