import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { nsfilter } from '@dtplatform/http';
import { FileSet } from '../../domain/filesets/file-set.js';
import { RequestedId, ShownLoad } from '../../domain/filestore/load.js';

export const STREAM_PATH = '/graphicssvc/api/v1/stream';
/** The subprotocol of the stream. */
export const PROTOCOL = 'dtplatform.v1';
/** Bytes of the largest message that a client may send. */
export const MAX_MESSAGE_BYTES = 4096;

const MAX_REQUEST_ID = 2 ** 32 - 1;
/** Chosen by the client; in each reply to the request. */
export const RequestId = z.int().min(0).max(MAX_REQUEST_ID);
const requestId = RequestId;
const bytes = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const OpenFileSet = z
  .object({ type: z.literal('open'), requestId, fileSetId: ResourceId, nsfilter })
  .describe('Opens a file set, in place of the one that is open.');
const ReadFile = z
  .object({
    type: z.literal('read'),
    requestId,
    fileId: RequestedId,
    fileVersionId: RequestedId.optional(),
    offset: bytes.optional(),
    length: bytes.optional(),
  })
  .describe('Reads a file of the open set, or a range of it. To resume, name the version and the next offset.');
const CancelRead = z
  .object({ type: z.literal('cancel'), requestId })
  .describe('Ends a read. Its error message CANCELLED is the last one about it; a read that has ended has none.');

/** What a client sends. */
export const ClientMessage = z.discriminatedUnion('type', [OpenFileSet, ReadFile, CancelRead]);
export type ClientMessage = z.infer<typeof ClientMessage>;
export type ReadFile = z.infer<typeof ReadFile>;

const State = z.union([ShownLoad, z.object({ _fileId: ResourceId, _status: z.literal('NOT_REQUESTED') })]);
const Opened = z
  .object({
    type: z.literal('opened'),
    requestId,
    fileSet: FileSet.pick({ _id: true, _name: true }),
    files: z.array(State),
  })
  .describe('A file set is open. It lists the files that the caller may read.');
const Header = z
  .object({
    type: z.literal('header'),
    requestId,
    fileId: ResourceId,
    fileVersionId: ResourceId,
    size: bytes.describe('Bytes of the whole version.'),
    offset: bytes,
    length: bytes.describe('Bytes that follow.'),
  })
  .describe('A read begins; its bytes follow in binary frames.');
const End = z.object({ type: z.literal('end'), requestId }).describe('All bytes of a read were sent.');
const Failure = z
  .object({
    type: z.literal('error'),
    requestId: requestId.optional(),
    status: z.int(),
    code: z.string(),
    message: z.string(),
    errors: z.array(z.object({ location: z.string(), message: z.string() })).optional(),
  })
  .describe('A request failed, or a read ended before its last byte. NOT_LOADED has the state of the load in errors.');

/** What the server sends as text. */
export const ServerMessage = z.discriminatedUnion('type', [Opened, Header, End, Failure]);
export type ServerMessage = z.infer<typeof ServerMessage>;

/** All messages by name, for their description. */
export const clientMessages = { OpenFileSet, ReadFile, CancelRead };
export const serverMessages = { Opened, Header, End, Failure };
