import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { connectIn } from '../connect.js';
import { interruption } from '../interruption.js';
import { DATA, readData } from '../options.js';
import { printFields } from '../output.js';

export function addScripts(program: Command): void {
  const scripts = program.command('scripts').description('work on scripts that turn messages into readings');
  scripts
    .command('evaluate')
    .argument('<file>', 'a file with the script')
    .argument('<message>', `a sample message: ${DATA}`)
    .description('run a script on a sample message, without storing anything')
    .action(async (file: string, message: string, _, command: Command) => {
      const { client, output } = await connectIn(command);
      const body = { _script: await readFile(file, 'utf8'), _message: await readData(message) };
      const result = await client.call('itemsvc.scripts.evaluate', { body, signal: interruption.signal });
      printFields(output, result);
      if (result._code !== undefined) process.exitCode = 1;
    });
}
