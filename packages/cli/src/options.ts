import { InvalidArgumentError } from 'commander';

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

/** Collects the values of a repeatable option. */
export const several = (text: string, before: string[] | undefined): string[] => [...(before ?? []), text];
