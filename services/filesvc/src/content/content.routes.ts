import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { header, ok, optionalHeader, route } from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { FILE_TYPE } from '../files/file.js';
import type { Files } from '../files/files.js';
import { ContextQuery, FileParams } from '../files/parameters.http.js';
import type { Content } from './content.js';
import { getContent, headContent } from './get-content.handler.js';

export const BYTES = { contentType: 'application/octet-stream', description: 'The bytes as they were uploaded.' };

export const DownloadUrl = z
  .object({
    _url: z.string().describe('A temporary URL from which anyone can download the content.'),
    _name: z.string().describe('The file name of the download.'),
  })
  .meta({ id: 'DownloadUrl', description: 'Where the content can be downloaded without a token.' });

/** RFC 9110, section 8. */
const description = [
  header('Accept-Ranges', 'Ranges are in bytes.', z.literal('bytes')),
  header('Content-Disposition', 'The file name of the download.'),
  header('ETag', 'The version of the content.'),
  optionalHeader('Content-Encoding', 'The encoding in which the content was uploaded.'),
  optionalHeader('Last-Modified', 'When the content was uploaded.'),
];
const CONTENT_HEADERS = {
  200: description,
  206: [...description, optionalHeader('Content-Range', 'The range sent. With several ranges, each part has its own.')],
  304: description.filter(({ name }) => ['ETag', 'Last-Modified'].includes(name)),
};

/** RFC 9110, section 13.1. */
const conditions = [
  optionalHeader('If-Match', 'The required `ETag` of the content; otherwise the call fails with a 412.'),
  optionalHeader(
    'If-None-Match',
    'An `ETag` that the caller already has. If the content still has it, the response is a 304 without a body.',
  ),
  optionalHeader(
    'If-Modified-Since',
    'If the content was not uploaded after this time, the response is a 304 without a body.',
  ),
  optionalHeader('If-Unmodified-Since', 'If the content was uploaded after this time, the call fails with a 412.'),
];
export const describedContent = {
  requestHeaders: conditions,
  headers: CONTENT_HEADERS,
  errors: [commonErrors.preconditionFailed],
};
export const downloadedContent = {
  requestHeaders: [
    ...conditions,
    optionalHeader('Range', 'The ranges to download, such as `bytes=0-1023`.'),
    optionalHeader(
      'If-Range',
      'The `ETag` or date that the content must have for the ranges to apply; otherwise the whole content is sent.',
    ),
  ],
  headers: CONTENT_HEADERS,
  errors: [commonErrors.preconditionFailed, errors.rangeNotSatisfiable],
};

interface Parts {
  files: Files;
  content: Content;
}

export const contentRoutes = ({ files, content }: Parts): Route[] => [
  route.get('/:id/url', {
    operation: 'content.url',
    summary: 'Get a temporary URL from which anyone can download a file.',
    params: FileParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, files),
    responses: { 200: DownloadUrl },
    handler: async ({ resource }) => ok(await content.urlOf(resource)),
  }),
  // Before GET, which Express would call for HEAD.
  route.head('/:id/content', {
    operation: 'content.head',
    summary: 'Read the size and type of the content of a file.',
    params: FileParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, files),
    ...describedContent,
    responses: { 200: null, 304: null },
    handler: headContent(content),
  }),
  route.get('/:id/content', {
    operation: 'content.get',
    summary: 'Download the content of a file, or ranges of it.',
    params: FileParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, files),
    ...downloadedContent,
    responses: { 200: BYTES, 206: BYTES, 304: null },
    handler: getContent(content),
  }),
];
