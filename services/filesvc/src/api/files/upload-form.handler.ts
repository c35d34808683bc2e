import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { created, nsfilter, parseInput } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Access } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import type { FormTarget, Received } from '../../domain/uploads/form-uploads.js';
import { encodingOf, lengthOf } from '../content/content-headers.js';
import { FileName, NamespacesParameter, ParentsParameter, TagsParameter } from './files.schemas.js';
import { receiveForm } from './receive-form.js';
import type { FormFields, IncomingFile } from './receive-form.js';

const target = {
  _namespaces: NamespacesParameter,
  _parents: ParentsParameter,
  _tags: TagsParameter,
};
/** What is given here may be left out of the form. */
export const UploadFormQuery = z.object({ nsfilter, ...z.object(target).partial().shape });
export type UploadFormQuery = z.infer<typeof UploadFormQuery>;

const UploadFormFields = z.object(target).partial();

export const isForm = ({ headers }: { headers: Record<string, unknown> }) =>
  /^multipart\//i.test(String(headers['content-type']));

/** POST /files with a form: each part named `file` becomes a new file or a new version (contract: Folders and files). */
export const uploadForm =
  (deps: Deps): Handler<{ query: UploadFormQuery }> =>
  async ({ req, res, query, access }) => {
    await deps.formUploads.admit(query.nsfilter, access);
    const contentEncoding = encodingOf(req.headers);
    const receive = async (file: IncomingFile): Promise<Received> => {
      const name = parseInput(FileName, file.name, 'body');
      await refuseEarly(deps, query, name, access);
      return deps.formUploads.receive(
        file.stream,
        { name, contentType: file.contentType, contentEncoding },
        lengthOf(req.headers),
      );
    };
    const { files, fields } = await deps.bodies.during(req, () =>
      receiveForm({ req, res }, receive, deps.formUploads.discard),
    );
    return created(await placeAll(deps, files, () => targetOf(query, fields), access));
  };

/** When the query says where the file goes, whoever may not put it there need not send it. */
async function refuseEarly({ formUploads }: Deps, query: UploadFormQuery, name: string, access: Access): Promise<void> {
  if (!query._namespaces || !query._parents) return;
  await formUploads.decide(targetOf(query, {}), name, access);
}

/** All are decided before the first is placed, and none stays behind when one is refused. */
async function placeAll({ formUploads }: Deps, files: Received[], where: () => FormTarget, access: Access) {
  const left = new Set(files);
  const placed: unknown[] = [];
  try {
    const place = where();
    for (const file of files) await formUploads.decide(place, file.name, access);
    for (const file of files) {
      placed.push(await formUploads.place(file, place, access));
      left.delete(file);
    }
  } catch (error) {
    for (const file of left) await formUploads.discard(file);
    throw error;
  }
  return placed;
}

/** @throws 400 */
function targetOf(query: UploadFormQuery, form: FormFields): FormTarget {
  const fields = parseInput(UploadFormFields, form, 'body');
  const namespaces = fields._namespaces ?? query._namespaces;
  if (!namespaces) {
    throw commonErrors.badRequest({ details: [{ location: 'body._namespaces', message: 'is required' }] });
  }
  const tags = fields._tags ?? query._tags;
  return {
    context: query.nsfilter,
    namespaces,
    parents: fields._parents ?? query._parents ?? [],
    tags: tags?.length ? tags : undefined,
  };
}
