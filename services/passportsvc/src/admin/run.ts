import { hostname, userInfo } from 'node:os';
import { ConfigError, loadConfig } from '@dtplatform/config';
import { createLogger } from '@dtplatform/logging';
import { mongoErrors } from '@dtplatform/mongo';
import { redisErrors } from '@dtplatform/redis';
import { AdminConfig } from '../config.js';
import { Rejection } from '../directory/administration/administration.js';
import { WrongKeyEncryptionKey } from '../oauth/keys/sealer.js';
import { openTools } from './open-tools.js';
import { readArguments } from './read-arguments.js';
import type { Arguments } from './read-arguments.js';
import { usage } from './usage.js';

const EXIT = { done: 0, failed: 1, usage: 2, 'not-found': 3, refused: 4 } as const;

export interface Surroundings {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
}

/**
 * Runs one command. The result goes to standard output; errors and the audit log go to standard error.
 * @returns the exit code
 */
export async function run(args: readonly string[], around: Surroundings = process): Promise<number> {
  if (args.includes('--help') || args.length === 0) {
    const [name] = args.filter((each) => !each.startsWith('-'));
    around.stdout.write(`${usage(name)}\n`);
    return args.length === 0 ? EXIT.usage : EXIT.done;
  }
  try {
    const wanted = readArguments(args);
    const { result, text } = await carryOut(wanted, loadConfig(AdminConfig, around.env), around);
    around.stdout.write(`${wanted.options.json ? JSON.stringify(result) : text}\n`);
    return EXIT.done;
  } catch (error) {
    const { reason, message } = explain(error);
    around.stderr.write(`admin: ${message}\n`);
    return EXIT[reason];
  }
}

/** Audits the command, whether it succeeds or fails. */
async function carryOut({ name, command, parameters, options }: Arguments, config: AdminConfig, around: Surroundings) {
  const record = audit(name, parameters, around.stderr);
  const { tools, close } = await openTools(config, around.stdin);
  try {
    const outcome = await command.run(tools, parameters, options);
    if (outcome.target !== undefined) record({ target: outcome.target, outcome: 'done' });
    return outcome;
  } catch (error) {
    record({ outcome: 'failed', reason: explain(error).message });
    throw error;
  } finally {
    await close();
  }
}

/** Arguments hold no secrets: passwords come from standard input. */
function audit(command: string, parameters: string[], stream: Surroundings['stderr']) {
  const log = createLogger({ service: 'passportsvc-admin', level: 'info', stream });
  const by = operator();
  return (entry: object) =>
    log.info({ audit: true, command, parameters, ...by, ...entry }, `administration: ${command}`);
}

function operator(): { by: string; host: string } {
  const host = hostname();
  try {
    return { by: userInfo().username, host };
  } catch {
    // The user of a container has no name.
    return { by: `uid ${process.getuid?.()}`, host };
  }
}

function explain(error: unknown): { reason: keyof typeof EXIT; message: string } {
  if (error instanceof Rejection) return error;
  if (error instanceof ConfigError) return { reason: 'usage', message: error.message };
  if (error instanceof WrongKeyEncryptionKey) return { reason: 'refused', message: `${error.message}.` };
  if (mongoErrors(error)?.status === 503) return { reason: 'failed', message: 'MongoDB is not available.' };
  if (redisErrors(error)) return { reason: 'failed', message: 'Redis is not available. Try again later.' };
  return { reason: 'failed', message: (error as Error).message };
}
