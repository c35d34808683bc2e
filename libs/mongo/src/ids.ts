import { ObjectId } from './driver.js';

/** A new `_id`: 24 hexadecimal digits, rising with time within a process. */
export const newId = (): string => new ObjectId().toHexString();

/** Above all ids that were made before that second, and below all that are made after it. */
export const idAt = (time: Date): string => ObjectId.createFromTime(Math.floor(time.getTime() / 1000)).toHexString();
