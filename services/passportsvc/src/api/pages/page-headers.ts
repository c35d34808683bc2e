import { header } from '@dtplatform/http';
import { z } from 'zod';

/** The content type of the forms of pages. */
export const FORM = 'application/x-www-form-urlencoded';

/** Where a redirect leads. */
export const redirectTo = (where: string) => header('Location', where);

/** Of a 429. */
export const retryAfter = header(
  'Retry-After',
  'After how many seconds the same request may succeed.',
  z.coerce.number().int().min(1),
);
