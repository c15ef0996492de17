export async function converse(_: unknown): Promise<number> {
  return 0;
}
export async function chat(_: unknown): Promise<number> {
  return 0;
}
