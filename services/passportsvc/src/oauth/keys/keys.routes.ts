import { z } from 'zod';
import { created, noContent, ok, route, routes } from '@dtplatform/http';
import { errors } from '../../errors.js';
import type { KeyRotation, PlannedKey } from './key-rotation.js';

const SigningKey = z
  .object({
    _id: z.string().max(64).describe('The id of the key: `kid` in the header of tokens.'),
    _algorithm: z.enum(['ES256', 'RS256']).describe('The algorithm of its signatures.'),
    _state: z
      .enum(['next', 'signing', 'verifying', 'expired'])
      .describe(
        '`next`: published, will sign from `_activeFrom`; `signing`; `verifying`: replaced, its last tokens are still valid; `expired`: needed no more, removed soon.',
      ),
    _activeFrom: z.int().describe('From when the key signs, as Unix milliseconds.'),
    _until: z
      .int()
      .optional()
      .describe('When no valid token needs the key any more, as Unix milliseconds; absent for the newest key.'),
  })
  .meta({ id: 'SigningKey', description: 'A key that signs access tokens.' });

const SigningKeyList = z
  .object({ _list: z.array(SigningKey).describe('The keys, oldest first.') })
  .meta({ id: 'SigningKeyList', description: 'The keys that sign access tokens.' });
const KeyParams = z.object({ id: SigningKey.shape._id });

const shown = ({ key, algorithm, state, activeFrom, until }: PlannedKey): z.infer<typeof SigningKey> => ({
  _id: key.kid,
  _algorithm: algorithm,
  _state: state,
  _activeFrom: activeFrom,
  ...(until !== undefined && { _until: until }),
});

const callers: ('admin' | 'trusted')[] = ['admin', 'trusted'];

export const signingKeyRoutes = ({ keyRotation }: { keyRotation: KeyRotation }) =>
  routes('/signing_keys', [
    route.get('/', {
      operation: 'signingKeys.list',
      summary: 'List the signing keys and the state of their rotation. For administrators and trusted clients.',
      callers,
      responses: { 200: SigningKeyList },
      handler: async () => ok({ _list: (await keyRotation.list()).map(shown) }),
    }),
    route.post('/', {
      operation: 'signingKeys.rotate',
      summary: 'Publish a new signing key, which replaces the current one after a lead time, without failed requests.',
      description: 'While a new key waits for its lead time, it is returned instead of another one.',
      callers,
      responses: { 201: SigningKey },
      handler: async () => created(shown(await keyRotation.rotate())),
    }),
    route.delete('/:id', {
      operation: 'signingKeys.retire',
      summary: 'Remove a signing key that no valid token needs.',
      description: 'Expired keys are also removed automatically.',
      errors: [errors.keyNeeded],
      callers,
      params: KeyParams,
      responses: { 204: null },
      handler: async ({ params }) => {
        await keyRotation.retire(params.id);
        return noContent();
      },
    }),
  ]);
