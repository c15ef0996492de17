const BINARY_UNITS = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL_UNITS = ['k', 'M', 'G', 'T', 'P', 'E'];

/** Writes bytes as Kubernetes does. */
export function mebibytes(bytes: number): string {
  const whole = bytes / 2 ** 20;
  return Number.isInteger(whole) ? `${whole}Mi` : String(bytes);
}

/** Writes processors as Kubernetes does. */
export function processors(cpus: number): string {
  return `${Math.round(cpus * 1000)}m`;
}

/**
 * Reads a quantity of Kubernetes, such as `256Mi`, `500m` or `1e9`. Undefined if it is none.
 */
export function readQuantity(text: string): number | undefined {
  const match = /^([0-9.]+(?:[eE][+-]?[0-9]+)?)(m|[kMGTPE]|[KMGTPE]i)?$/.exec(text);
  if (match === null) return undefined;
  const [, number, unit = ''] = match;
  const value = Number(number) * factorOf(unit);
  return Number.isNaN(value) ? undefined : value;
}

function factorOf(unit: string): number {
  if (unit === 'm') return 0.001;
  if (unit.endsWith('i')) return 1024 ** (BINARY_UNITS.indexOf(unit) + 1);
  return 1000 ** (DECIMAL_UNITS.indexOf(unit) + 1);
}
