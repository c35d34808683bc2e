import { useJson, useText } from '../frame';
import { FormButton } from '../ui';
import { useWork, WorkState } from '../tasks/use-work';
import { sampleOf } from './sample';

/** Sends a message as a device would. */
export function SendMessage({ id, deviceType = '' }: { id: string; deviceType?: string }) {
  const { text } = useText();
  const parse = useJson();
  const { start, task } = useWork('itemsvc.messages.create');
  return (
    <FormButton
      label={text('telemetry.send')}
      variant="default"
      submit={text('telemetry.sendNow')}
      fields={[{ name: 'message', label: text('telemetry.message'), kind: 'json', initial: sampleOf(deviceType) }]}
      preview={() => <WorkState task={task} />}
      onSubmit={async ({ message = '' }) => {
        const sent = parse<object>(message, true);
        const { _deadLetters } = await start({ path: { id }, body: (Array.isArray(sent) ? sent : [sent]) as never });
        if (_deadLetters) throw new Error(text('telemetry.sendFailed'));
      }}
    />
  );
}
