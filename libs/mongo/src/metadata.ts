import type { Metadata } from '@dtplatform/contracts';
import { number, part, text } from './model.js';

const author = { _createdAt: number, _updatedAt: number, _createdById: text, _updatedById: text };

/** For `_metadata`: when and by whom a resource was created and changed. */
export const metadata = part<Metadata>({ ...author, _createdByName: String, _updatedByName: String });

/** The same for resources that do not store names. */
export const metadataWithoutNames = part<Omit<Metadata, '_createdByName' | '_updatedByName'>>(author);
