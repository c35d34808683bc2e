import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { shownText } from '@dtplatform/contracts';
import { renderImages } from './render-images.js';
import type { RenderOptions } from './render-images.js';

/**
 * A process for one file: renders the content from stdin and sends the images, or the reason for none, to its parent.
 * It has no credentials and can be killed at any time.
 */
const NICE = 10;
const MAX_REASON_LENGTH = 200;

const options = JSON.parse(process.argv[2]!) as RenderOptions;
process.once('disconnect', () => process.exit());
// Only a privileged process may raise its priority.
setPriority(Math.max(getPriority(), NICE));
giveMemoryBackFirst();
process.send!('started');
const outcome = await buffer(process.stdin)
  .then((content) => renderImages(content, options))
  .then(
    (images) => ({ images }),
    (error: unknown) => ({ reason: shownText(String(error), MAX_REASON_LENGTH) }),
  );
process.send!(outcome, () => process.disconnect());

/** When memory runs out, Linux kills this process rather than the worker. */
function giveMemoryBackFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Linux only.
  }
}
