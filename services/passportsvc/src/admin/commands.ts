import { Rejection } from '../directory/administration/administration.js';
import type { Administration } from '../directory/administration/administration.js';
import type { KeyRotation, PlannedKey, SigningAlgorithm } from '../oauth/keys/key-rotation.js';
import { printable, table } from './table.js';
import type { Cell } from './table.js';

export interface Tools {
  administration: Administration;
  keyRotation: KeyRotation;
  algorithm: SigningAlgorithm;
  /** @throws WrongKeyEncryptionKey: the services could not read what this key encrypts */
  checkKey: () => Promise<void>;
  /** Re-encrypts every stored secret with the current key. @returns how many used another key */
  reencrypt: () => Promise<number>;
  readLine: () => Promise<string>;
}

interface Outcome {
  result: object;
  text: string;
  /** Recorded in the audit log; absent for lists. */
  target?: string;
}

type Values = Record<string, string | boolean | undefined>;

export interface Command {
  parameters: readonly string[];
  options: Record<string, { type: 'string' | 'boolean'; help: string; value?: string }>;
  about: string;
  run(tools: Tools, parameters: string[], options: Values): Promise<Outcome>;
}

const LIMIT = { default: 100, max: 1000 };
const limitOption = {
  limit: { type: 'string', value: 'N', help: `at most ${LIMIT.max}; ${LIMIT.default} by default` },
} as const;
const orgOption = { org: { type: 'string', value: 'ID', help: 'only those of this organization' } } as const;

export const COMMANDS: Record<string, Command> = {
  'reset-password': {
    parameters: ['USER'],
    options: { stdin: { type: 'boolean', help: 'read the password from standard input instead of generating one' } },
    about: 'sets a new password for a user (name or id) and ends their sessions and tokens',
    async run({ administration, readLine }, [name], { stdin }) {
      const given = stdin ? await readLine() : undefined;
      const { user, password } = await administration.resetPassword(name!, given);
      const shown = password === undefined ? '' : `\nNew password (shown only once): ${password}`;
      const text = `The password of ${printable(user.userName)} was changed. Their sessions and tokens have ended.${shown}`;
      return { result: { _id: user._id, userName: user.userName, password }, text, target: `user ${user._id}` };
    },
  },
  'rotate-keys': {
    parameters: [],
    options: {
      revoke: { type: 'boolean', help: 'for leaked keys: replaces all keys at once, which ends all access tokens' },
    },
    about: 'publishes a new signing key, which replaces the current one after the lead time',
    async run({ keyRotation, algorithm, checkKey }, _parameters, { revoke }) {
      await checkKey();
      const added = revoke ? await keyRotation.revokeAll(algorithm) : await keyRotation.rotate(algorithm);
      const since = added.state === 'next' ? `signs from ${timeOf(added.activeFrom)}` : 'signs from now on';
      const others = revoke
        ? ' All other keys were removed. Restart all services: they may still cache the old keys and tokens.'
        : '';
      const text = `The signing key ${added.key.kid} (${added.algorithm}) ${since}.${others}`;
      return { result: shownKey(added), text, target: `signing key ${added.key.kid}` };
    },
  },
  reencrypt: {
    parameters: [],
    options: {},
    about: 're-encrypts stored secrets from KEY_ENCRYPTION_KEY_PREVIOUS to KEY_ENCRYPTION_KEY',
    async run({ reencrypt }) {
      const count = await reencrypt();
      const done = 'All stored secrets are encrypted with KEY_ENCRYPTION_KEY.';
      return {
        result: { reencrypted: count },
        text: `${done} ${count} of them were re-encrypted.`,
        target: 'all secrets',
      };
    },
  },
  users: {
    parameters: [],
    options: { ...orgOption, admins: { type: 'boolean', help: 'only platform administrators' }, ...limitOption },
    about: 'lists users',
    async run({ administration }, _parameters, { org, admins, limit }) {
      const options = { orgId: org as string | undefined, adminsOnly: admins === true };
      return listed(limit, ['_id', 'userName', '_orgId', 'active', '_admin'], (most) =>
        administration.listUsers({ ...options, limit: most }),
      );
    },
  },
  keys: {
    parameters: [],
    options: {},
    about: 'lists signing keys',
    async run({ keyRotation }) {
      const keys = (await keyRotation.list()).map(shownKey);
      return { result: { _list: keys }, text: table(keys, ['kid', 'alg', 'state', 'activeFrom', 'until']) };
    },
  },
};

const timeOf = (ms: number) => new Date(ms).toISOString();

const shownKey = ({ key, algorithm, state, activeFrom, until }: PlannedKey) => ({
  kid: key.kid,
  alg: algorithm,
  state,
  activeFrom: timeOf(activeFrom),
  ...(until !== undefined && { until: timeOf(until) }),
});

/** Fetches one row more than it shows, to detect truncation. */
async function listed<T extends { [K in keyof T]: Cell }>(
  limit: string | boolean | undefined,
  columns: (keyof T & string)[],
  find: (limit: number) => Promise<T[]>,
): Promise<Outcome> {
  const wanted = limit === undefined ? LIMIT.default : Number(limit);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > LIMIT.max) {
    throw new Rejection('usage', `--limit must be a number from 1 to ${LIMIT.max}.`);
  }
  const found = await find(wanted + 1);
  const _list = found.slice(0, wanted).map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
  const hasMore = found.length > wanted;
  const text = `${table(_list, columns)}${hasMore ? `\nThere are more than ${wanted}.` : ''}`;
  return { result: { _list, hasMore }, text };
}
