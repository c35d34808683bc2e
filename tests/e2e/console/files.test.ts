import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { boxGeometry } from '../../../tools/stack/src/tour/input/box-geometry.js';
import { uploadFile } from '../support/resources.js';
import { openWorkspace } from './open-console.js';
import type { WorkspaceConsole } from './open-console.js';

const MIB = 2 ** 20;

describe('the files of the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  let console: WorkspaceConsole;

  beforeAll(async () => {
    console = await openWorkspace();
  });
  afterAll(async () => {
    await console.close();
    rmSync(folder, { recursive: true });
  });

  const write = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  async function choose(button: string, ...files: string[]): Promise<void> {
    const [chooser] = await Promise.all([console.page.waitForFileChooser(), console.click(button)]);
    await chooser.accept(files);
  }

  it('keeps files in folders, and compares two versions', async () => {
    await console.open(`${console.pages}/files`);
    await console.click('New folder');
    await console.fill('Name', 'Plans');
    await console.click('Create');
    await console.click('Plans', 'link');
    await choose('Upload files', write('notes.txt', 'first line\n'), write('page.html', '<script>alert(1)</script>'));
    await console.shows('2 of 2 files are uploaded.');
    await choose('Upload files', write('notes.txt', 'changed line\n'));
    await console.shows('3 of 3 files are uploaded.');
    expect(await console.barriers()).toEqual([]);
    await console.click('notes.txt', 'link');
    await console.click('Versions', 'tab');
    await console.page.locator('input[aria-label="Select Version 1"]').click();
    await console.page.locator('input[aria-label="Select Version 2"]').click();
    await console.click('Compare');
    await console.shows('changed line');
    await console.shows('first line');
    expect(await console.barriers()).toEqual([]);
  });

  it('shows a stored page as text, never as a document', async () => {
    await console.click('Plans', 'link');
    await console.click('page.html', 'link');
    await console.shows('<script>alert(1)</script>');
  });

  it('continues an upload after a cut connection and after a reload', async () => {
    const large = write('model.bin', Buffer.alloc(24 * MIB, 'x'));
    await console.open(`${console.pages}/files`);
    await console.shows('Plans');
    // Slow enough to be cut before the end.
    const network = { latency: 0, download: 50 * MIB, upload: 4 * MIB };
    await console.page.emulateNetworkConditions(network);
    await choose('Upload files', large);
    await console.click('Pause: model.bin');
    await console.shows('Resume');
    await console.page.emulateNetworkConditions(null);
    await console.page.reload();
    await console.shows('Choose the file to continue');
    await choose('Choose the file to continue: model.bin', large);
    await console.shows('1 of 1 files are uploaded.');
    await console.shows('25.2 MB');
  });

  it('says why a file is refused, and does not offer to resume it', async () => {
    await console.open(`${console.pages}/files`);
    await choose('Upload files', write('bad\u0001name.txt', 'x'));
    await console.shows('has characters that are not allowed');
    expect(await console.page.$$('::-p-text(Resume)')).toEqual([]);
    await console.click('Remove: bad\u0001name.txt');
  });

  it('shows a model of a file set, once the file is loaded', async () => {
    await console.open(`${console.pages}/files`);
    await choose('Upload files', write('tower.glb', boxGeometry()));
    await console.page.locator('input[aria-label="Select tower.glb"]').setTimeout(20_000).click();
    await console.click('Create a file set');
    await console.fill('Name', 'Tower');
    await console.confirm('Create');
    await console.shows('Loaded');
    expect(await console.barriers()).toEqual([]);
    await console.click('View', 'tab');
    await console.shows('12 triangles');
    await console.click('Turn left');
    expect(await console.barriers()).toEqual([]);
    await console.open(`${console.pages}/graphics`);
    await console.click('Tower', 'link');
  });

  it('names what a deletion loses, and deletes it', async () => {
    await uploadFile(console.user, console.namespace);
    await console.open(`${console.pages}/files`);
    await console.page.locator('input[aria-label="Select Plans"]').click();
    await console.click('Delete');
    expect(await console.barriers()).toEqual([]);
    await console.confirm('Delete');
    await console.page.waitForFunction(`!document.body.innerText.includes('Plans')`);
    expect(console.faults).toEqual([]);
  });
});
