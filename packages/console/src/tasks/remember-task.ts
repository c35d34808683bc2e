import { OPERATIONS } from '@dtplatform/sdk';
import { useSyncExternalStore } from 'react';

/** Where the state of a task is read. */
export const TASK_OPERATIONS = {
  filesvc: 'filesvc.fileTasks.get',
  itemsvc: 'itemsvc.asyncTasks.get',
  telemetry: 'itemsvc.telemetryTasks.get',
  passportsvc: 'passportsvc.asyncTasks.get',
} as const;
export type TaskService = keyof typeof TASK_OPERATIONS;
export const TASK_SERVICES = Object.keys(TASK_OPERATIONS) as TaskService[];

interface RememberedTask {
  service: TaskService;
  id: string;
  /** What the task does. */
  label: string;
}

const KEY = 'console:tasks';
const MAX_TASKS = 50;
const listeners = new Set<() => void>();
let tasks = JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as RememberedTask[];

/** Lists a task that this tab has started on the page of tasks. The platform has no list of them. */
export function rememberTask(location: string | null, label: string): void {
  const [, path = '', id = ''] = /^(?:https?:\/\/[^/]+)?(\/.*\/)([0-9a-f]{24})$/.exec(location ?? '') ?? [];
  const service = TASK_SERVICES.find((each) => OPERATIONS[TASK_OPERATIONS[each]].startsWith(`GET ${path}{`));
  if (!service) return;
  tasks = [{ service, id, label }, ...tasks].slice(0, MAX_TASKS);
  sessionStorage.setItem(KEY, JSON.stringify(tasks));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The tasks that this tab has started, newest first. */
export const useRememberedTasks = () => useSyncExternalStore(subscribe, () => tasks);
