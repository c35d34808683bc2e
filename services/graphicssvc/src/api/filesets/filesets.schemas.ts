import { z } from 'zod';
import { nsfilter, pageOf, pagingParameters } from '@dtplatform/http';
import { FileSet, ShownFileSet } from '../../domain/filesets/file-set.js';

export const ContextQuery = z.object({ nsfilter });
export const ListFileSetsQuery = ContextQuery.extend(pagingParameters());
export const FileSetParams = z.object({ id: FileSet.shape._id });
export const FileSetPage = pageOf(ShownFileSet).meta({ id: 'FileSetPage', description: 'A page of file sets.' });
