/** Limits for the times of files, which programs set. */

/** The last time that JavaScript can represent, in milliseconds. Emscripten cannot describe a file with a later one. */
const LATEST_MS = 8.64e15;

/** Makes the file system keep the nearest time that it can describe. */
export function limitFileTimes(fs) {
  for (const { node: operations } of Object.values(fs.filesystems.MEMFS.ops_table)) {
    const setAttributes = operations.setattr;
    operations.setattr = (node, attributes) => {
      const limited = { ...attributes };
      for (const name of ['atime', 'mtime', 'ctime']) {
        if (limited[name] != null) {
          limited[name] = Math.max(-LATEST_MS, Math.min(limited[name], LATEST_MS));
        }
      }
      return setAttributes(node, limited);
    };
  }
}
