import { z } from 'zod';

/** The author of what the platform itself did, and of sign-ins to no known account. */
export const NOBODY = 'platform';

export const AuditEntry = z
  .object({
    _id: z.string().max(64).describe('The id of the entry.'),
    _at: z.int().describe('When the call began, as Unix milliseconds.'),
    _operation: z
      .string()
      .max(64)
      .describe(
        'The operation, as in this description, such as `apps.update`; `signIn` for a sign-in with a password.',
      ),
    _byId: z
      .string()
      .max(64)
      .describe(
        'The id of the user, app or permission profile that made the call; `platform` for a sign-in to an unknown account.',
      ),
    _byName: z.string().max(256).optional().describe('The name of the user or app at that time.'),
    _actorId: z.string().max(64).optional().describe('The trusted app that acted for them.'),
    _appId: z.string().max(64).optional().describe('The app that the call came from.'),
    _orgId: z
      .string()
      .max(64)
      .optional()
      .describe('The organization of the user, or of an app that called on its own.'),
    _address: z.string().max(64).optional().describe('The address of the client that signed in.'),
    _resourceIds: z
      .array(z.string().max(128))
      .describe(
        'The ids of resources in the path and body of the call, and of created ones. Of rejected calls, at most 10.',
      ),
    _status: z
      .int()
      .optional()
      .describe('The status of the response. Absent while the call runs, and if the process stopped meanwhile.'),
    _requestId: z.string().max(64).optional().describe('The id of the request, as in the logs.'),
  })
  .meta({ id: 'AuditEntry', description: 'A call that changed something, or a sign-in.' });
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Which entries to list. All fields are optional. */
export interface AuditFilter {
  orgId?: string | undefined;
  byId?: string | undefined;
  resourceId?: string | undefined;
  operation?: string | undefined;
  /** Unix milliseconds; `to` is exclusive. */
  from?: number | undefined;
  to?: number | undefined;
}
