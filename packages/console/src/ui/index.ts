/** The components of pages. Those that are large are imported on their own. */
export { Loading, Failure, Pending, Empty } from './states';
export { ConfirmButton, inRow } from './confirm-button';
export { FormButton, EditButton, FormDialog } from './form-dialog';
export { dayOf, linesOf, shortNameOf, useNameFields } from './fields';
export { PageLink } from './page-link';
export { ResourceTable } from './resource-table';
export { Table } from './table';
export { Detail, Properties } from './detail';
export { Dialog } from './dialog';
export { Select, Input } from './inputs';
export { PageTitle } from './page-title';
