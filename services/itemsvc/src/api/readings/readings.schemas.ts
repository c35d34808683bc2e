import { z } from 'zod';
import { listParameter, nsfilter, pageOf } from '@dtplatform/http';
import { AggregateFunction, choosesValues, Every } from '../../domain/readings/down-sampling.js';
import type { ReadingQuery } from '../../domain/readings/ports.js';
import { MAX_READINGS, NewReading, ShownReading } from '../../domain/readings/reading.js';
import { listParameters, listQueryOf } from '../list-parameters.js';
import { userItemVersionId } from '../nameduseritems/nameduseritems.schemas.js';

export const CreateReadingsQuery = z.object({ nsfilter, userItemVersionId });
export const CreateReadingsBody = z.array(NewReading).min(1).max(MAX_READINGS);
export const CreatedReadings = z
  .object({ _total: z.int().describe('How many readings were accepted.') })
  .meta({ id: 'CreatedReadings', description: 'How many readings were accepted.' });
export const ReadingPage = pageOf(ShownReading).meta({ id: 'ReadingPage', description: 'A page of readings.' });

export const ListReadingsQuery = z
  .object({
    ...listParameters,
    userItemVersionId,
    every: Every.optional().describe(
      'Joins the readings of each telemetry item step by step: a whole number and `ms`, `s`, `m`, `h` or `d`, such as `15m`, up to `366d`.',
    ),
    fn: listParameter()
      .pipe(z.array(AggregateFunction).min(1))
      .optional()
      .describe(
        'How the readings of a step are joined: `avg` (the default), `min`, `max`, `last`, `count`; several separated by commas. It needs `every`.',
      ),
  })
  .superRefine(({ every, fn, project }, context) => {
    if (every === undefined && fn) context.addIssue({ code: 'custom', path: ['fn'], message: 'needs every' });
    if (every === undefined || !project || choosesValues(project)) return;
    context.addIssue({
      code: 'custom',
      path: ['project'],
      message: 'chooses only values, by their names, if there is every',
    });
  });

/** The parameters of a list call as the domain knows them. */
export const readingQueryOf = ({ every, fn, ...list }: z.infer<typeof ListReadingsQuery>): ReadingQuery => ({
  ...listQueryOf(list),
  ...(every !== undefined && { downSampling: { everyMs: every, functions: [...new Set(fn ?? ['avg' as const])] } }),
});
