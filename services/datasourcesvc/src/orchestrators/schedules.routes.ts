import { z } from 'zod';
import { documents, ok, route, routes, wholeNumber } from '@dtplatform/http';
import { isBefore2100, nextDueTimes, OrchSchedule } from './schedule.js';

const MAX_TIMES = 50;

const ScheduleTimesQuery = z.object({
  count: wholeNumber(MAX_TIMES).default(5).describe(`The number of times: 5 by default, at most ${MAX_TIMES}.`),
  after: wholeNumber(Number.MAX_SAFE_INTEGER)
    .refine(isBefore2100, 'must be before the year 2100')
    .optional()
    .describe('The previous run, in milliseconds since 1970; now by default.'),
});
const ScheduleTimes = z
  .object({ times: z.array(z.string()).describe('The times, in milliseconds since 1970, as text.') })
  .meta({ id: 'ScheduleTimes', description: 'When a schedule is due.' });

export const scheduleRoutes = () =>
  routes('/schedules', [
    route.post('/times', {
      operation: 'schedules.times',
      reads: true,
      summary: 'List when a schedule would be due next, without storing it.',
      needs: documents({ rule: 'anyone' }),
      query: ScheduleTimesQuery,
      body: OrchSchedule,
      responses: { 200: ScheduleTimes },
      handler: async ({ body, query: { count, after } }) =>
        ok({ times: nextDueTimes(body, after ?? Date.now(), count).map(String) }),
    }),
  ]);
