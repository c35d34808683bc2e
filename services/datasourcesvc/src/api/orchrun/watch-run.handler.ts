import { noContent } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { RunSummary } from '../../domain/orchrun/ports.js';
import { hasEnded } from '../../domain/orchrun/run.js';
import { showFollowedRun } from '../../domain/orchrun/shown-run.js';
import { lastRevision } from './server-sent-events.js';

/** A run takes several times its stored bytes while it is read and sent: JSON escapes a control character with six. */
const BYTES_PER_STORED_BYTE = 8;
/** A large run is sent less often than it changes. */
const STORED_BYTES_PER_SEC = 256 * 1024;

/**
 * Streams the state of a run, without the parameters of its steps: now, unless the client knows it, and whenever it has changed,
 * until it has ended.
 */
export const watchRun =
  ({ runs, authenticate, eventStreams }: Deps): Handler<{ resource: RunSummary; query: { nsfilter: string } }> =>
  async ({ resource, query: { nsfilter }, access, req, res }) => {
    const { _id } = resource;
    let sent = lastRevision(req);
    // To a client of server-sent events, 204 says that there is nothing to reconnect for.
    if (hasEnded(resource) && sent === resource._revision) return noContent();

    let quietUntilMs = 0;
    return eventStreams.open({ req, res, caller: access.principal.id }, async (reserve) => {
      const summary = await runs.summaries.find(_id, nsfilter);
      const isQuiet = summary !== undefined && !hasEnded(summary) && performance.now() < quietUntilMs;
      const isNew = summary !== undefined && summary._revision !== sent && !isQuiet;
      if (isNew) await reserve(BYTES_PER_STORED_BYTE * summary.bytes);
      const now = await authenticate(req);
      await now.require('READ', summary);
      if (!isNew) return {};
      const run = await now.require('READ', await runs.followed.find(_id, nsfilter));
      sent = run._revision;
      quietUntilMs = performance.now() + (1000 * summary.bytes) / STORED_BYTES_PER_SEC;
      return { event: { event: 'run', id: String(sent), data: showFollowedRun(run) }, isLast: hasEnded(run) };
    });
  };
