import path from 'node:path';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { downloadStream, paginate, waitForTask } from '@dtplatform/sdk';
import type { Client, EntryOf, Input, Reply } from '@dtplatform/sdk';
import { downloadToFile } from '@dtplatform/sdk/node';
import type { Command } from 'commander';
import { connectIn } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { several } from '../options.js';
import { bytesText, note, printable, printFields, printRows, timeText } from '../output.js';
import type { Column } from '../output.js';
import { createProgress } from '../progress.js';
import { uploadWithResume } from '../upload.js';
import { UsageError } from '../usage-error.js';

type Entry = EntryOf<'filesvc.files.list'>;

interface FolderOptions {
  folder?: string;
  tag?: string[];
}
interface GetOptions {
  to?: string;
  force?: boolean;
}
interface MoveOptions {
  folder?: string[];
  name?: string;
}

const COLUMNS: Column<Entry>[] = [
  ['NAME', ({ _name }) => _name],
  ['SIZE', ({ _fileVersion }) => bytesText(_fileVersion?._fileSize)],
  ['STATUS', ({ _status }) => (_status === 'CREATED' ? 'folder' : _status.replace('UPLOAD_', '').toLowerCase())],
  ['CHANGED', ({ _metadata }) => timeText(_metadata._updatedAt)],
  ['ID', ({ _id }) => _id],
];

export function addFiles(program: Command): void {
  const files = program.command('files').description('list, upload, download, move and delete files and folders');
  const ls = files
    .command('ls')
    .option('--folder <id>', 'only the contents of this folder; root for the root')
    .option('--tag <tag>', 'only files with this tag; can be repeated', several)
    .description('list files and folders');
  asList<Entry, FolderOptions>(ls, {
    read({ client, signal }, { folder, tag, limit }) {
      const query = { _pageSize: Math.min(limit, 200), _parents: folder, _tags: tag };
      return paginate(client, 'filesvc.files.list', { query, signal });
    },
    columns: COLUMNS,
  });
  files
    .command('upload')
    .argument('<path...>', 'files on this machine')
    .option('--folder <id>', 'the folder to upload to')
    .option('--tag <tag>', 'a tag for the files; can be repeated', several)
    .description('upload files; repeat the command to resume an interrupted upload')
    .action(upload);
  files
    .command('get')
    .argument('<id>', 'the id of the file')
    .option('-o, --to <path>', 'the file to write, - for stdout; by default its name, in the current directory')
    .option('--force', 'replace an existing file')
    .description('download a file; repeat the command to resume an interrupted download')
    .action(get);
  files
    .command('mkdir')
    .argument('<name>', 'the name of the folder')
    .option('--folder <id>', 'the folder to create it in')
    .option('--tag <tag>', 'a tag for the folder; can be repeated', several)
    .description('create a folder')
    .action(makeFolder);
  files
    .command('mv')
    .argument('<id>', 'the id of the file or folder')
    .option('--folder <id>', 'the folder to move it to; root for the root; can be repeated', several)
    .option('--name <name>', 'its new name')
    .description('move or rename a file or folder')
    .action(move);
  files
    .command('rm')
    .argument('<id...>', 'the ids of files and folders')
    .description('delete files and folders with their contents, all or none')
    .action(remove);
}

async function upload(paths: string[], options: FolderOptions, command: Command): Promise<void> {
  const { client, output } = await connectIn(command);
  const stored = [];
  for (const each of paths) stored.push(await uploadWithResume(client, each, options));
  if (output.format !== 'table' || output.query !== undefined) return void printRows(output, stored, COLUMNS);
  for (const { _id, _name } of stored) process.stdout.write(`${_id}  ${printable(_name)}\n`);
}

async function get(id: string, { to, force = false }: GetOptions, command: Command): Promise<void> {
  const { client, output } = await connectIn(command);
  if (to === '-') return toStdout(client, id);
  const { signal } = interruption;
  const file = await client.call('filesvc.files.get', { path: { id }, signal });
  const target = path.resolve(to ?? safeName(file._name));
  if (!force && (await exists(target))) throw new UsageError(`${target} exists. Replace it with --force.`);
  const progress = createProgress(file._name);
  try {
    const onProgress = (each: { receivedBytes: number; totalBytes: number }) =>
      progress.update(each.receivedBytes, each.totalBytes);
    await downloadToFile(client, target, { id, onProgress, signal });
  } finally {
    progress.stop();
  }
  printFields(output, { ...file, path: target }, { id, path: target });
}

async function makeFolder(name: string, { folder, tag }: FolderOptions, command: Command): Promise<void> {
  const { client, output, namespace } = await connectIn(command);
  const query = { _name: name, _namespaces: namespace, _parents: folder, _tags: tag };
  // The body only belongs to uploads.
  const input = { query, signal: interruption.signal } as Input<'filesvc.uploads.initiate'>;
  const made = (await client.call('filesvc.uploads.initiate', input)) as Entry;
  printFields(output, made, { id: made._id, name: made._name });
}

async function move(id: string, { folder, name }: MoveOptions, command: Command): Promise<void> {
  if (folder === undefined && name === undefined) throw new UsageError('Pass --folder or --name.');
  const { client, output } = await connectIn(command);
  const { signal } = interruption;
  const { body, headers } = await client.send('filesvc.files.get', { path: { id }, signal });
  const change = { _name: name ?? body._name, _tags: body._tags, ...(folder && { _parents: folder }) };
  const ifMatch = { 'If-Match': headers.get('etag') ?? undefined };
  const moved = await client.call('filesvc.files.update', { path: { id }, headers: ifMatch, body: change, signal });
  printFields(output, moved, { id, name: moved._name, folder: moved._parents });
}

async function remove(ids: string[], _: object, command: Command): Promise<void> {
  const { client } = await connectIn(command);
  const { signal } = interruption;
  await finish(client, await client.send('filesvc.files.deleteMany', { query: { _ids: ids }, signal }), 'Deleting');
  note(`Deleted ${ids.length === 1 ? ids[0]! : `${ids.length} files and folders`}.`);
}

/** Waits for accepted work. Ctrl-C stops waiting; the work continues. */
async function finish(client: Client, reply: Reply<unknown>, title: string): Promise<void> {
  const progress = createProgress(title, false);
  try {
    const onProgress = ({ _progress }: { _progress?: number }) => progress.update(_progress ?? 0, 100);
    await waitForTask(client, reply, { onProgress, signal: interruption.signal });
  } finally {
    progress.stop();
  }
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
