/** Reads the files of Python in the order of their use, and passes each on as it arrives. */
export async function loadPython(guest, input, boot) {
  const read = (name) => input.readBytes(boot.file_sizes[name]);
  const load = (part) =>
    guest.load(
      part,
      Object.values(part).flatMap((value) => value.buffer ?? []),
    );
  load({ runtime: read('runtime'), loader: read('loader') });
  // Compiled here, on V8's own threads, while the worker is busy with the rest.
  const wasm = read('wasm');
  const compiling = WebAssembly.compile(wasm);
  load({ standardLibrary: read('standard_library') });
  load({ snapshot: read('snapshot') });
  const wheels = boot.wheels.map((name) => [name, read(name)]);
  const module = await compiling;
  // Frees the memory at once, because V8 has made a copy.
  wasm.buffer.transfer(0);
  guest.load({
    module,
    settings: {
      task: boot.task,
      pythonModules: boot.python_modules,
      wheels,
      memoryBytes: boot.memory_bytes,
      storageBytes: boot.temporary_storage_bytes,
    },
  });
}
