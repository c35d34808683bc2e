import type { AsyncTask } from '@dtplatform/contracts';

/** A task of this service, and who started it. */
export interface OwnTask {
  task: AsyncTask;
  createdById: string;
}

export interface OwnTasks {
  find(id: string): Promise<OwnTask | undefined>;
}

/** Tasks of another service, as the caller may see them. */
export interface RemoteTasks {
  /** @throws 503 while the service is unavailable */
  find(id: string, caller: { token: string; signal: AbortSignal }): Promise<AsyncTask | undefined>;
}
