import { z } from 'zod';
import { listParameter, pageOf } from '@dtplatform/http';
import { AggregateFunction, choosesValues, Every } from '../../domain/readings/down-sampling.js';
import type { ReadingQuery } from '../../domain/readings/ports.js';
import { MAX_READINGS, NewReading, ShownReading } from '../../domain/readings/reading.js';
import { listParameters, listQueryOf } from '../list-parameters.js';
import { WriteRelatedItemsQuery } from '../relateditems/relateditems.schemas.js';

export const CreateReadingsQuery = WriteRelatedItemsQuery.omit({ transactional: true });
export const CreateReadingsBody = z.array(NewReading).min(1).max(MAX_READINGS);
export const CreatedReadings = z.object({ _total: z.number() });
export const ReadingPage = pageOf(ShownReading);

export const ListReadingsQuery = z
  .object({
    ...listParameters,
    userItemVersionId: CreateReadingsQuery.shape.userItemVersionId,
    every: Every.optional().describe('Joins readings step by step: a whole number and ms, s, m, h or d, such as 15m.'),
    fn: listParameter()
      .pipe(z.array(AggregateFunction).min(1))
      .optional()
      .describe(
        'How the readings of a step are joined: avg (the default), min, max, last, count; several with commas.',
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
