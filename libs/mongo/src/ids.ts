import { ObjectId } from './driver.js';

/** A new `_id`: 24 hexadecimal digits, rising with time within a process. */
export const newId = (): string => new ObjectId().toHexString();
