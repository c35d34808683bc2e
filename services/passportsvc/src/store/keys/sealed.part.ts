import { part, text } from '@dtplatform/mongo';
import type { Sealed } from '../../domain/keys/sealed.js';

/** A sealed secret inside a document. Every path of this type is listed in `sealed-secret-store.ts`. */
export const sealed = part<Sealed>({ iv: text, data: text, tag: text, keyId: text });
