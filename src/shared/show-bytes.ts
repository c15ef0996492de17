/** A number of bytes for people and models, such as `256 MiB`. */
export function showBytes(bytes: number): string {
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${bytes} bytes`;
}
