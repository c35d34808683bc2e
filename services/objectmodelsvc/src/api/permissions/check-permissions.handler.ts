import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { CheckPermissionsBody } from './permissions.schemas.js';

/** POST /permissions/check: each question comes back with its answer, in the same order. */
export const checkPermissions =
  ({ permissionChecks }: Deps): Handler<{ body: CheckPermissionsBody }> =>
  async ({ body, access }) => {
    const answers = await permissionChecks.answer(body, access);
    return ok({ _list: body.map((question, index) => ({ ...question, _allowed: answers[index] })) });
  };
