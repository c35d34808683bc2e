import { UnrecoverableError } from 'bullmq';

/** Thrown by a handler: trying again would not help, so the job fails permanently. */
export const PermanentError = UnrecoverableError;
