import path from 'node:path';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { downloadStream, paginate } from '@dtplatform/sdk';
import type { Client, EntryOf } from '@dtplatform/sdk';
import { downloadToFile } from '@dtplatform/sdk/node';
import type { Command } from 'commander';
import { connectIn } from '../connect.js';
import { UsageError } from '../errors.js';
import { first } from '../first.js';
import { interruption } from '../interruption.js';
import { positive, several } from '../options.js';
import { bytesText, note, printable, printJson, printRows, timeText } from '../output.js';
import { createProgress } from '../progress.js';
import { uploadWithResume } from '../upload.js';

type Entry = EntryOf<'filesvc.files.list'>;

interface ListOptions {
  folder?: string;
  tag?: string[];
  limit: number;
}
interface GetOptions {
  output?: string;
  force?: boolean;
}

export function addFiles(program: Command): void {
  const files = program.command('files').description('list, upload and download files');
  files
    .command('ls')
    .option('--folder <id>', 'only the contents of this folder; root for the root')
    .option('--tag <tag>', 'only files with this tag; can be repeated', several)
    .option('--limit <number>', 'the maximum number of entries', positive, 100)
    .description('list files and folders')
    .action(async (options: ListOptions, command: Command) => list(options, command));
  files
    .command('upload')
    .argument('<path...>', 'files on this machine')
    .option('--folder <id>', 'the folder to upload to')
    .option('--tag <tag>', 'a tag for the files; can be repeated', several)
    .description('upload files; repeat the command to resume an interrupted upload')
    .action(async (paths: string[], options: Omit<ListOptions, 'limit'>, command: Command) => {
      const { client, isJson } = await connectIn(command);
      const stored = [];
      for (const each of paths) stored.push(await uploadWithResume(client, each, options));
      if (isJson) printJson(stored);
      else for (const { _id, _name } of stored) process.stdout.write(`${_id}  ${printable(_name)}\n`);
    });
  files
    .command('get')
    .argument('<id>', 'the id of the file')
    .option('-o, --output <path>', 'the file to write, - for stdout; by default its name, in the current directory')
    .option('--force', 'replace an existing file')
    .description('download a file; repeat the command to resume an interrupted download')
    .action(async (id: string, options: GetOptions, command: Command) => get(id, options, command));
}

async function list({ folder, tag, limit }: ListOptions, command: Command): Promise<void> {
  const { client, isJson } = await connectIn(command);
  const query = { _pageSize: Math.min(limit, 200), _parents: folder, _tags: tag };
  const { signal } = interruption;
  const rows = await first(limit, paginate(client, 'filesvc.files.list', { query, signal }));
  printRows({ isJson }, rows, [
    ['NAME', ({ _name }: Entry) => _name],
    ['SIZE', ({ _fileVersion }) => bytesText(_fileVersion?._fileSize)],
    ['STATUS', ({ _status }) => (_status === 'CREATED' ? 'folder' : _status.replace('UPLOAD_', '').toLowerCase())],
    ['CHANGED', ({ _metadata }) => timeText(_metadata._updatedAt)],
    ['ID', ({ _id }) => _id],
  ]);
}

async function get(id: string, { output, force = false }: GetOptions, command: Command): Promise<void> {
  const { client, isJson } = await connectIn(command);
  if (output === '-') return toStdout(client, id);
  const { signal } = interruption;
  const file = await client.call('filesvc.files.get', { path: { id }, signal });
  const target = path.resolve(output ?? safeName(file._name));
  if (!force && (await exists(target))) throw new UsageError(`${target} exists. Replace it with --force.`);
  const progress = createProgress(file._name);
  try {
    const onProgress = (each: { receivedBytes: number; totalBytes: number }) =>
      progress.update(each.receivedBytes, each.totalBytes);
    await downloadToFile(client, target, { id, onProgress, signal });
  } finally {
    progress.stop();
  }
  if (isJson) printJson({ ...file, path: target });
  else note(`${target} is complete.`);
}

/** Other users choose file names, which must not lead out of this folder. */
function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1)!;
  if (/^\.{0,2}$/.test(last)) throw new UsageError('The name of the file cannot be used here. Pass --output.');
  return printable(last);
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

async function toStdout(client: Client, id: string): Promise<void> {
  const { stream } = await downloadStream(client, { id, signal: interruption.signal });
  for await (const bytes of stream) if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
}
