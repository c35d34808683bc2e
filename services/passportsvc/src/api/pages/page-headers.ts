import { header } from '@dtplatform/http';

/** The content type of the forms of pages. */
export const FORM = 'application/x-www-form-urlencoded';

/** Where a redirect leads. */
export const redirectTo = (where: string) => header('Location', where);
