import { z } from 'zod';
import { CallId, CallReport, ClaimedCall } from '@dtplatform/contracts';
import { noContent, ok, route, routes } from '@dtplatform/http';
import { errors } from '../errors.js';
import type { ComponentCalls } from './component-calls.js';

const CallParams = z.object({ id: CallId });

/** For workers of components, which are trusted clients (docs/components.md). */
export const componentCallRoutes = ({ componentCalls }: { componentCalls: ComponentCalls }) =>
  routes('/componentcalls', [
    route.post('/:id/claim', {
      operation: 'componentCalls.claim',
      summary: 'Claim a step for a worker. After a 409, the worker must not work on it.',
      errors: [errors.callEnded],
      callers: ['trusted'],
      params: CallParams,
      responses: { 200: ClaimedCall },
      handler: async ({ params }) => ok(await componentCalls.claim(params.id)),
    }),
    route.put('/:id', {
      operation: 'componentCalls.report',
      summary:
        'Report that a worker is alive, the progress of the step, and how it ended. After a 409, the worker must stop.',
      description: 'A worker that does not report every few seconds is considered lost.',
      errors: [errors.callEnded],
      callers: ['trusted'],
      params: CallParams,
      body: CallReport,
      responses: { 204: null },
      handler: async ({ params, body }) => {
        await componentCalls.report(params.id, body);
        return noContent();
      },
    }),
  ]);
