import { accepted } from '@dtplatform/http';

/** 202 with the address of a telemetry task. */
export const acceptedTask = (taskId: string) => accepted(`/itemsvc/api/v1/telemetry_async_tasks/${taskId}`);
