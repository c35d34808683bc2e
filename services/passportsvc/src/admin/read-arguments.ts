import { parseArgs } from 'node:util';
import { Rejection } from '../directory/administration/administration.js';
import { COMMANDS } from './commands.js';
import type { Command } from './commands.js';

export interface Arguments {
  name: string;
  command: Command;
  parameters: string[];
  options: Record<string, string | boolean | undefined>;
}

export function readArguments(args: readonly string[]): Arguments {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new Rejection('usage', name ? `Unknown command ${name}.` : 'A command is missing.');
  const { values, positionals } = parse(rest, command);
  if (positionals.length !== command.parameters.length) {
    throw new Rejection('usage', `Usage: ${[name, ...command.parameters].join(' ')}`);
  }
  return { name, command, parameters: positionals, options: values };
}

function parse(args: string[], { options }: Command) {
  const known = Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]));
  try {
    return parseArgs({ args, options: { ...known, json: { type: 'boolean' } }, allowPositionals: true });
  } catch (error) {
    // The first sentence names the argument; the rest is advice about quoting.
    throw new Rejection('usage', `${(error as Error).message.split('. ')[0]}.`);
  }
}
