import { z } from 'zod';
import { parseJson, ResourceId } from '@dtplatform/contracts';
import type { JsonRejected } from '@dtplatform/contracts';
import { commonErrors, describeIssue } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import { nsfilter } from '@dtplatform/http';
import { errors } from '../errors.js';
import { FileSet } from '../filesets/file-set.js';
import { RequestedId, ShownLoad } from '../filestore/load.js';

export const STREAM_PATH = '/graphicssvc/api/v1/stream';
export const PROTOCOL = 'dtplatform.v1';
export const MAX_MESSAGE_BYTES = 4096;

const MAX_REQUEST_ID = 2 ** 32 - 1;
/** Chosen by the client and repeated in each response. */
const RequestId = z
  .int()
  .min(0)
  .max(MAX_REQUEST_ID)
  .describe('A number chosen by the client; all responses to the request include it.');
const requestId = RequestId;
const bytes = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const type = <T extends string>(name: T) => z.literal(name).describe(`\`${name}\` for this message.`);

const OpenFileSet = z
  .object({
    type: type('open'),
    requestId,
    fileSetId: ResourceId.describe('The id of the file set.'),
    nsfilter: nsfilter.describe('The namespace in which this set and its files are read.'),
  })
  .describe('Opens a file set, replacing the open one.');
const ReadFile = z
  .object({
    type: type('read'),
    requestId,
    fileId: RequestedId.describe('The id of a file of the open set.'),
    fileVersionId: RequestedId.optional().describe(
      'The id of the version; by default, the loaded version that was last requested as the latest.',
    ),
    offset: bytes
      .optional()
      .describe('The offset of the first byte in the file; 0 by default, at most the size of the file.'),
    length: bytes.optional().describe('The maximum number of bytes to read; up to the end of the file by default.'),
  })
  .describe('Reads a file of the open set, or a range of it. To resume, name the version and the next offset.');
const CancelRead = z
  .object({ type: type('cancel'), requestId: requestId.describe('The `requestId` of the read.') })
  .describe('Ends a read. The error CANCELLED is its last message; a read that has already ended gets none.');

export const ClientMessage = z.discriminatedUnion('type', [OpenFileSet, ReadFile, CancelRead]);
export type ClientMessage = z.infer<typeof ClientMessage>;
export type ReadFile = z.infer<typeof ReadFile>;

const UnrequestedFile = z
  .object({
    _fileId: ResourceId.describe('The id of the file.'),
    _status: z.literal('NOT_REQUESTED').describe('`NOT_REQUESTED` for these files.'),
  })
  .meta({ id: 'UnrequestedFile', description: 'A file whose load into the store was not requested.' });
const Opened = z
  .object({
    type: type('opened'),
    requestId,
    fileSet: FileSet.pick({ _id: true, _name: true }).describe('The file set.'),
    files: z
      .array(z.union([ShownLoad, UnrequestedFile]))
      .describe('The state of each file that the caller may read, in the order of the set.'),
  })
  .describe('A file set is open. It lists the files that the caller may read.');
const Header = z
  .object({
    type: type('header'),
    requestId,
    fileId: ResourceId.describe('The id of the file.'),
    fileVersionId: ResourceId.describe('The id of the version being read; send it to resume.'),
    size: bytes.describe('The length of the whole version in bytes.'),
    offset: bytes.describe('The offset of the first byte that follows.'),
    length: bytes.describe('The number of bytes that follow.'),
  })
  .describe('A read begins; its bytes follow in binary frames.');
const End = z.object({ type: type('end'), requestId }).describe('All bytes of a read were sent.');
/** The others have their HTTP meaning: BAD_REQUEST, NOT_FOUND for a file set, UNAVAILABLE and INTERNAL. */
const FAILURES = [
  errors.noFileSetOpen,
  errors.fileNotFound,
  errors.notLoaded,
  errors.rangeNotSatisfiable,
  errors.requestIdInUse,
  errors.tooManyReads,
  errors.cancelled,
].map(({ definition: { status, code, message } }) => `- ${status} \`${code}\`: ${message}`);
const Failure = z
  .object({
    type: type('error'),
    requestId: requestId
      .optional()
      .describe('The `requestId` of the request; missing if the message has none that is valid.'),
    status: z.int().describe('The corresponding HTTP status.'),
    code: z.string().describe(`The stable code of the error, for programs.\n\n${FAILURES.join('\n')}`),
    message: z.string().describe('What is wrong, in readable text.'),
    errors: z
      .array(
        z.object({
          location: z
            .string()
            .describe('Where it is, such as `message.fileId`; `_status` for the state of a load that is not `LOADED`.'),
          message: z.string().describe('What is wrong with it, or the state.'),
        }),
      )
      .optional()
      .describe('The invalid parts of the message, or the state of the load for `NOT_LOADED`.'),
  })
  .describe('A request failed, or a read ended before its last byte. NOT_LOADED has the state of the load in errors.');

/** Text messages; bytes are binary. */
export const ServerMessage = z.discriminatedUnion('type', [Opened, Header, End, Failure]);
export type ServerMessage = z.infer<typeof ServerMessage>;

export const clientMessages = { OpenFileSet, ReadFile, CancelRead };
export const serverMessages = { Opened, Header, End, Failure };

type Parsed =
  | { requestId?: number; message: ClientMessage; error?: undefined }
  | { requestId?: number; message?: undefined; error: AppError };

/** A message, or the error to respond with. */
export function parseMessage(text: string): Parsed {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    return { error: commonErrors.badRequest({ message: `The message ${(cause as JsonRejected).message}.`, cause }) };
  }
  const requestId = RequestId.safeParse((value as { requestId?: unknown } | null)?.requestId).data;
  const parsed = ClientMessage.safeParse(value, { error: describeIssue });
  if (parsed.success) return { requestId, message: parsed.data };
  const details = parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
    location: ['message', ...path].map(String).join('.'),
    message,
  }));
  return { requestId, error: commonErrors.badRequest({ details }) };
}
