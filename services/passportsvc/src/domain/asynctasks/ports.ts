import type { AsyncTask } from '@dtplatform/contracts';

export interface TaskCaller {
  token: string;
  signal: AbortSignal;
}

/** Tasks of another service, as the caller may see them. */
export interface RemoteTasks {
  /** @throws 503 while the service is unavailable */
  find(id: string, caller: TaskCaller): Promise<AsyncTask | undefined>;
}
