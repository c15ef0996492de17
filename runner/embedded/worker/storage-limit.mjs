/** A bound for the files that a program writes, which are in memory that the interpreter's own limit does not count. */

const ENOSPC = 51;
/** Files, directories and links; an entry takes memory however small it is. */
const MAX_ENTRIES = 20_000;

/** Has the file system refuse, as a full one does, what goes beyond `limit` bytes in addition to what is there. */
export function limitStorage(fs, limit) {
  const memoryFiles = fs.filesystems.MEMFS;
  const { file } = memoryFiles.ops_table;
  const write = file.stream.write;
  const setAttributes = file.node.setattr;
  const createNode = memoryFiles.createNode;
  const base = measure(fs);
  let used = base;

  /** Counts growth; where the count is over, what was deleted since is counted out of it. */
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

/** What is there: in directories, and in files that are open and no longer in any. */
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
