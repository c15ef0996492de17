import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A wheel as `pip` installs it. */
export interface WheelContent {
  readonly name: string;
  readonly version: string;
  /** @default a wheel of pure Python */
  readonly tag?: string;
  /** Names of the libraries that it needs. @default none */
  readonly needs?: readonly string[];
  /** Texts of its files, by their paths. @default none */
  readonly files?: Readonly<Record<string, string>>;
  /** Files that are copied into it, by their paths. @default none */
  readonly copies?: Readonly<Record<string, string>>;
}

const MAKE = `import base64, hashlib, json, sys, zipfile
path, content = sys.argv[1], json.loads(sys.argv[2])
name, version, tag = content["name"], content["version"], content["tag"]
info = f"{name}-{version}.dist-info"
files = {target: text.encode() for target, text in content["files"].items()}
for target, source in content["copies"].items():
    with open(source, "rb") as file:
        files[target] = file.read()
needs = "".join(f"Requires-Dist: {need}\\n" for need in content["needs"])
files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n{needs}".encode()
pure = "true" if tag.endswith("-any") else "false"
files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: {pure}\\nTag: {tag}\\n".encode()
record = []
with zipfile.ZipFile(path, "w") as wheel:
    for target, data in files.items():
        wheel.writestr(target, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{target},sha256={digest},{len(data)}\\n")
    wheel.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\\n")`;

/** Makes a wheel, and returns its path. */
export async function makeWheel(directory: string, content: WheelContent): Promise<string> {
  const { name, version, tag = 'py3-none-any', needs = [], files = {}, copies = {} } = content;
  const path = join(directory, `${name}-${version}-${tag}.whl`);
  const all = { name, version, tag, needs, files, copies };
  await promisify(execFile)('python3', ['-c', MAKE, path, JSON.stringify(all)]);
  return path;
}
