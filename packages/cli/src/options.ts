import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { UsageError } from './usage-error.js';

/** Parses a number above 0. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number greater than 0.');
  return Number(text);
}

/** Parses the URL of a platform. */
export function httpUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new InvalidArgumentError('It must be an http(s) URL.');
  return text;
}

export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}

/** Explains an argument that `readData` reads. */
export const DATA = 'JSON, @ and the name of a file with it, or - for stdin';

/** JSON that is passed as an argument, in a file (`@name`) or on stdin (`-`). @throws UsageError */
export async function readData(argument: string): Promise<unknown> {
  try {
    return JSON.parse(await contentOf(argument));
  } catch (error) {
    throw new UsageError(`The data must be ${DATA}: ${(error as Error).message}`);
  }
}

async function contentOf(argument: string): Promise<string> {
  if (argument === '-') return text(process.stdin);
  return argument.startsWith('@') ? readFile(argument.slice(1), 'utf8') : argument;
}

/** Collects the values of a repeatable option. */
export const several = (text: string, before: string[] | undefined): string[] => [...(before ?? []), text];
