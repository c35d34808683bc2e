import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { describeIssue } from '@dtplatform/errors';
import { completeUrls } from './complete-url.js';

/** Missing or invalid settings. The message names each of them and never contains a value. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Reads settings from the environment. The value of `NAME` may also be in the file at `NAME_FILE`, so that secrets can
 * be mounted. Empty values count as missing. See `completeUrls` for URLs whose credentials are elsewhere.
 * @throws ConfigError with one line for each invalid or missing setting
 */
export function loadConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv = process.env): z.infer<S> {
  const unreadable = new Set<string>();
  const read = (name: string) => env[name] || fromFile(name, env, unreadable);
  const values: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = read(name);
    if (value) values[name] = value;
  }
  const parsed = schema.safeParse(completeUrls(values, env, read), { error: describeIssue });
  const issues = (parsed.error?.issues ?? []).filter(({ path: [name] }) => !unreadable.has(String(name)));
  const problems = [
    ...[...unreadable].map((name) => `${name}_FILE: the file cannot be read`),
    ...issues.map((issue) => describe(issue, values)),
  ];
  if (problems.length > 0 || !parsed.success) throw new ConfigError(problems);
  return parsed.data;
}

function fromFile(name: string, env: NodeJS.ProcessEnv, unreadable: Set<string>): string | undefined {
  const path = env[`${name}_FILE`];
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    unreadable.add(name);
    return undefined;
  }
}

function describe(issue: z.core.$ZodIssue, values: Record<string, string>): string {
  const name = String(issue.path[0] ?? '');
  return name in values ? `${name}: ${issue.message}` : `${name}: is required`;
}
