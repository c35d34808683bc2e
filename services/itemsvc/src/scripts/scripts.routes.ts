import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { nsfilter, ok, route, routes } from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { permitCreate } from '@dtplatform/permissions';
import { DeadLetterCode } from '../messages/message.js';
import { ITEM_TYPE } from '../nameduseritems/item.js';
import type { ScriptEvaluations } from './script-evaluations.js';

const MAX_SCRIPT_CHARS = 256 * 1024;

const EvaluateQuery = z.object({ nsfilter });
const ScriptSample = z
  .object({
    _script: z.string().min(1).max(MAX_SCRIPT_CHARS).describe('JavaScript that defines the function `normalize`.'),
    _message: z.unknown().describe('A sample message, as a device would send it.'),
  })
  .meta({ id: 'ScriptSample', description: 'A script and a sample message to run it on.' });
const EvaluatedScript = z
  .object({
    _readings: z.array(z.looseObject({})).optional().describe('The readings, unless it failed.'),
    _code: DeadLetterCode.optional().describe('Why such a message would become a dead letter.'),
    _reason: z.string().optional().describe('The reason as text.'),
    _tookMs: z.number().describe('How long the script ran, in milliseconds.'),
  })
  .meta({ id: 'EvaluatedScript', description: 'What a script makes of a sample message. Nothing is stored.' });

type EvaluateContext = RequestContext<unknown, z.infer<typeof EvaluateQuery>>;

export const scriptRoutes = ({ scriptEvaluations }: { scriptEvaluations: ScriptEvaluations }) =>
  routes('/scripts', [
    route.post('/evaluate', {
      operation: 'scripts.evaluate',
      reads: true,
      summary: 'Run a script of telemetry configurations on a sample message.',
      description:
        'Runs the script as for a message of a device, without storing anything. Requires CREATE for items in the namespace. One call at a time per caller.',
      errors: [commonErrors.tooManyRequests],
      query: EvaluateQuery,
      body: ScriptSample,
      needs: permitCreate(ITEM_TYPE, ({ query }: EvaluateContext) => [
        { _namespaces: [query.nsfilter], _itemClass: 'Script' },
      ]),
      responses: { 200: EvaluatedScript },
      handler: async ({ body, access, signal }) => {
        const message = JSON.stringify(body._message ?? null);
        return ok(await scriptEvaluations.run({ text: body._script, message, caller: access.principal.id }, signal));
      },
    }),
  ]);
