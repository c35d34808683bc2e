import { storeFiles } from './chapters/files.js';
import { loadGraphics } from './chapters/graphics.js';
import { describeBuilding } from './chapters/items.js';
import { readMetrics } from './chapters/metrics.js';
import { runOrchestrator } from './chapters/orchestrator.js';
import { meetPeople } from './chapters/people.js';
import { share } from './chapters/sharing.js';
import { configureTelemetry } from './chapters/telemetry.js';
import { openWorkspace } from './chapters/workspace.js';
import { createTour, type TourOptions } from './tour.js';

/**
 * The platform's main use case from end to end, over plain HTTP against a running stack. Can be repeated on the same
 * stack. Throws at the first failed step, naming the step, the request and the response.
 */
export async function runTour(options: TourOptions): Promise<{ steps: number; seconds: number }> {
  const begun = performance.now();
  const tour = createTour(options);

  const people = await meetPeople(tour);
  const { owner } = people;
  const namespace = await openWorkspace(tour, owner);
  const { model, image } = await storeFiles(tour, owner, namespace);
  const rooms = await describeBuilding(tour, owner, namespace, [model.record, image.record]);
  await share(tour, people, namespace, { file: model.record, item: rooms });
  await loadGraphics(tour, owner, namespace);
  await configureTelemetry(tour, owner, namespace, rooms);
  await runOrchestrator(tour, owner, namespace);
  await readMetrics(tour, owner, namespace, {
    'dtplatform.filesvc.FileCount': 2, // the graphics file is counted apart
    'dtplatform.filesvc.FileVersionSize': model.content.length + image.content.length,
    'dtplatform.itemsvc.NamedUserCollectionCount': 1,
  });

  return { steps: tour.steps(), seconds: (performance.now() - begun) / 1000 };
}
