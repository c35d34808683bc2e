import { Notification } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
import { useText } from '../messages/text';

const VISIBLE_MS = 6000;
let current: string | undefined;
const listeners = new Set<() => void>();

/** Says at the edge of the page that something was done. */
export function notify(message: string | undefined): void {
  current = message;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The last notice, for some seconds. */
export function Notice() {
  const { text } = useText();
  const message = useSyncExternalStore(subscribe, () => current);
  useEffect(() => {
    const timer = setTimeout(() => notify(undefined), VISIBLE_MS);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <div role="status" className="notice">
      {message !== undefined && (
        <Notification
          color="green"
          closeButtonProps={{ 'aria-label': text('form.close') }}
          onClose={() => notify(undefined)}
        >
          {message}
        </Notification>
      )}
    </div>
  );
}
