import { InvalidArgumentError } from 'commander';

/** The parser of a number above 0. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

/** The parser of the URL of a platform. */
export function httpUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new InvalidArgumentError('It must be an http(s) URL.');
  return text;
}

/** The parser of JSON. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}

/** The parser of an option that can be given several times. */
export const several = (text: string, before: string[] | undefined): string[] => [...(before ?? []), text];
