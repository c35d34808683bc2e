/** Fails if a native module or program in FOLDER is for another processor. Usage: check-architecture.mjs amd64|arm64 FOLDER */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** Values of `e_machine` in the header of an ELF file. */
const MACHINES = { amd64: 62, arm64: 183 };

const [architecture, folder] = process.argv.slice(2);
const wanted = MACHINES[architecture];
if (wanted === undefined) throw new Error(`the architecture is "${architecture}", but must be amd64 or arm64`);

const native = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name))
  .map((file) => ({ file, machine: machineOf(file) }))
  .filter(({ machine }) => machine !== undefined);
const others = native.filter(({ machine }) => machine !== wanted).map(({ file }) => file);
if (others.length > 0) {
  console.error(`Not for ${architecture}:\n${others.join('\n')}`);
  process.exitCode = 1;
} else console.log(`All ${native.length} native files in ${folder} are for ${architecture}.`);

/** The processor that a file is for; undefined if it is not an ELF file. */
function machineOf(file) {
  const header = Buffer.alloc(20);
  const descriptor = openSync(file);
  readSync(descriptor, header);
  closeSync(descriptor);
  return header.toString('latin1', 0, 4) === '\x7fELF' ? header.readUInt16LE(18) : undefined;
}
