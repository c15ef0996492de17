import type { OutputFile, Outputs } from '../../execution/files/output-files.ts';
import { showBytes } from '../../shared/show-bytes.ts';

/** How many bytes the files of one run can have together. The programs of a run can be many. */
const MAX_RUN_BYTES = 50 * 1024 * 1024;
const MAX_PROBLEMS = 100;

/** The files that the programs of one run left. */
export class RunFiles {
  readonly #byName: Map<string, OutputFile> = new Map();
  readonly #problems: string[] = [];
  #bytes = 0;

  get files(): readonly OutputFile[] {
    return [...this.#byName.values()];
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Adds the files of a program. They replace those of earlier programs with the same names. */
  add({ files, fileProblems }: Outputs): void {
    this.#tell(...fileProblems);
    for (const file of files) this.#keep(file);
  }

  #keep(file: OutputFile): void {
    const { name, sizeBytes } = file;
    // Also if the new one does not fit: an old version would be taken for it.
    this.#bytes -= this.#byName.get(name)?.sizeBytes ?? 0;
    this.#byName.delete(name);
    if (this.#bytes + sizeBytes > MAX_RUN_BYTES) {
      this.#tell(
        `The file "${name}" is not among those of the run, because they can have ${showBytes(MAX_RUN_BYTES)} together. The result of its program has it.`,
      );
      return;
    }
    this.#bytes += sizeBytes;
    this.#byName.set(name, file);
  }

  #tell(...problems: readonly string[]): void {
    this.#problems.push(...problems.slice(0, MAX_PROBLEMS - this.#problems.length));
  }
}
