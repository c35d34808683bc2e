import { number, part, text } from '@dtplatform/mongo';
import type { ItemMetadata } from '../domain/item-metadata.js';

export const metadata = part<ItemMetadata>({
  _createdAt: number,
  _updatedAt: number,
  _createdById: text,
  _updatedById: text,
});
