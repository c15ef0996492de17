/**
 * A limit for the files that programs write. They are in memory that the interpreter's own limit
 * does not count.
 */

const ENOSPC = 51;
/** Number of files, directories and links. An entry takes memory even if it is empty. */
const MAX_ENTRIES = 20_000;
/** So much memory a file gets at once when it grows, or as much as it has. */
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;

/**
 * Makes the file system refuse, like a full one, more than `limit` bytes in addition to the present
 * files.
 */
export function limitStorage(fs, limit) {
  const memoryFiles = fs.filesystems.MEMFS;
  const { file } = memoryFiles.ops_table;
  const write = file.stream.write;
  const setAttributes = file.node.setattr;
  const createNode = memoryFiles.createNode;
  const base = measure(fs);
  let used = base;

  /**
   * Counts growth. If the count exceeds the limit, the files are measured again, because some may
   * have been deleted.
   */
  function take(bytes, entries) {
    used = { bytes: used.bytes + bytes, entries: used.entries + entries };
    if (isOver(used)) {
      const present = measure(fs);
      used = { bytes: present.bytes + bytes, entries: present.entries + entries };
      if (isOver(used)) {
        used = present;
        throw new fs.ErrnoError(ENOSPC);
      }
    }
  }
  const isOver = ({ bytes, entries }) =>
    bytes > base.bytes + limit || entries > base.entries + MAX_ENTRIES;

  file.stream.write = (stream, buffer, offset, length, position, canOwn) => {
    take(Math.max(0, position + length - stream.node.usedBytes), 0);
    return write(stream, buffer, offset, length, position, canOwn);
  };
  file.node.setattr = (node, attributes) => {
    if (attributes.size !== undefined) take(Math.max(0, attributes.size - node.usedBytes), 0);
    return setAttributes(node, attributes);
  };
  memoryFiles.createNode = (...values) => {
    take(0, 1);
    return createNode(...values);
  };
}

/**
 * Makes files that are written piece by piece grow by doubling, so that each byte is copied a few
 * times at most. Emscripten adds an eighth, and copies a file of 10 MB twenty times. Memory that is
 * not used yet is not taken from the system.
 */
export function growByDoubling(fs) {
  const memoryFiles = fs.filesystems.MEMFS;
  const grow = memoryFiles.expandFileStorage;
  memoryFiles.expandFileStorage = (node, needed) => {
    const { length } = node.contents;
    const doubled = length + Math.min(length, MAX_GROWTH_BYTES);
    if (needed > length) grow(node, Math.max(needed, doubled));
  };
}

/** Measures the files in directories, and open files that were deleted. */
function measure(fs) {
  const seen = new Set();
  const visit = (node) => {
    if (!node || seen.has(node)) return;
    seen.add(node);
    if (fs.isDir(node.mode)) for (const child of Object.values(node.contents ?? {})) visit(child);
  };
  visit(fs.root);
  for (const stream of fs.streams) visit(stream?.node);
  let bytes = 0;
  for (const node of seen) if (fs.isFile(node.mode)) bytes += node.usedBytes ?? 0;
  return { bytes, entries: seen.size };
}
