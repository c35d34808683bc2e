import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import type { ErrorDetail } from '@dtplatform/errors';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import { errors } from '../errors.js';
import { defineComponent } from './component.js';
import type { StepContext } from './component.js';
import { SEPARATORS } from './csv-rows.js';
import { readRows } from './file-rows.js';
import { inBatches } from './rows.js';
import type { Batch } from './rows.js';

const Id = z.string().min(1).max(128);
const RETRY_AFTER_MS = 500;
/** An earlier attempt's batch may still be in progress. */
const MAX_RETRIES = 60;

interface Deps {
  filesvc: ServiceClient;
  itemsvc: ServiceClient;
}

/**
 * `import_file_items {fileId, collectionId, format}`: adds the rows of a file to a collection, with the permissions of
 * the run. Each batch is one transaction under an idempotency key of the step, so that a repeated step adds nothing
 * twice.
 */
export const importFileItemsComponent = ({ filesvc, itemsvc }: Deps) =>
  defineComponent({
    name: 'import_file_items',
    description: 'Adds the objects of a JSON file, or the records of a CSV file, to a collection of items.',
    mayRunAgain: true,
    params: z
      .strictObject({
        fileId: Id,
        collectionId: Id,
        format: z.enum(['json', 'jsonl', 'csv']).default('json'),
        separator: z
          .enum(SEPARATORS)
          .optional()
          .describe('The separator of CSV columns; detected from the header by default.'),
      })
      .refine(({ format, separator }) => format === 'csv' || separator === undefined, {
        path: ['separator'],
        message: 'is only allowed for the format csv',
      }),
    async run({ fileId, collectionId, format, separator }, context) {
      const { content, size, readBytes } = await openFile(filesvc, fileId, context);
      let imported = 0;
      for await (const batch of inBatches(readRows(content, { format, separator }))) {
        await addBatch(itemsvc, collectionId, batch, context);
        imported += batch.rows.length;
        context.progress(size > 0 ? (100 * readBytes()) / size : 100, `${imported} rows`);
      }
      return { imported };
    },
  });

/** The content of a file. @throws importFileMissing, fileIsEncoded */
async function openFile(filesvc: ServiceClient, fileId: string, { namespace, starter, signal }: StepContext) {
  const path = `/filesvc/api/v1/files/${encodeURIComponent(fileId)}/content`;
  const call = { path, query: { nsfilter: namespace }, as: starter, signal };
  const { body, headers } = await filesvc.stream(call).catch((error: unknown) => {
    throw isMissing(error) ? errors.importFileMissing({ cause: error }) : error;
  });
  // The reader gets the error. Without a reader, nobody needs the body.
  body.on('error', () => undefined);
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    body.destroy();
    throw errors.fileIsEncoded();
  }
  let bytes = 0;
  async function* content(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // The connection broke: the step may be repeated.
      throw commonErrors.unavailable({ cause: error });
    }
  }
  return { content: content(), size: Number(headers['content-length'] ?? 0), readBytes: () => bytes };
}

/** Adds the rows of a batch, all or none. */
async function addBatch(itemsvc: ServiceClient, collectionId: string, batch: Batch, context: StepContext) {
  const { namespace, starter, signal, stepId } = context;
  for (let retries = 0; ; retries++) {
    try {
      await itemsvc.call(
        {
          method: 'POST',
          path: `/itemsvc/api/v1/nameduseritems/${encodeURIComponent(collectionId)}/relateditems/bulk`,
          query: { nsfilter: namespace, transactional: true },
          body: batch.rows,
          headers: { 'idempotency-key': `import-${stepId}-${batch.index}` },
          idempotent: true,
          as: starter,
          signal,
        },
        z.unknown(),
      );
      return;
    } catch (error) {
      if (!(error instanceof ServiceCallError)) throw error;
      // An earlier attempt has added them; its caller may no longer read them.
      if (error.code === commonErrors.replyGone.definition.code) return;
      if (error.status !== 409 || retries === MAX_RETRIES) throw rejectionOf(error, batch);
    }
    await delay(RETRY_AFTER_MS, undefined, { signal });
  }
}

const isMissing = (error: unknown) =>
  error instanceof ServiceCallError && (error.status === 404 || error.status === 403);

const Rejection = z.object({
  message: z.string().default('The rows were rejected.'),
  errors: z.array(z.object({ location: z.string(), message: z.string() })).default([]),
});

/** The run's error when itemsvc rejects a batch: the row of the file, if the response names one. */
function rejectionOf(error: ServiceCallError, { firstRow, rows }: Batch): Error {
  if (isMissing(error)) return errors.collectionMissing({ cause: error });
  if (error.status === 409) return commonErrors.unavailable({ cause: error });
  const { message, errors: details } = readRejection(error.body);
  if (message.includes('idempotency key')) return errors.fileChanged({ cause: error });
  const [first] = details.flatMap((detail) => rowProblem(detail, firstRow));
  const range = `Rows ${firstRow} to ${firstRow + rows.length - 1} of the file were rejected. ${message}`;
  return errors.badRow({ message: first ?? range, cause: error });
}

function readRejection(body: string): z.infer<typeof Rejection> {
  try {
    return Rejection.parse(JSON.parse(body));
  } catch {
    return Rejection.parse({});
  }
}

/** `body.17._fileId` is the field `_fileId` of the batch's 18th row. */
function rowProblem({ location, message }: ErrorDetail, firstRow: number): string[] {
  const [, index, field] = /^body\.(\d+)(?:\.(.+))?$/.exec(location) ?? [];
  if (index === undefined) return [];
  return [`Row ${firstRow + Number(index)} of the file was rejected. ${field ? `${field}: ` : 'It '}${message}`];
}
