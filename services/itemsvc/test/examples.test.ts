import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  keepIndexes,
  keepItems,
  keepMany,
  keepPermissions,
  keepRelations,
  keepRooms,
  keepVersions,
} from './examples/items.js';
import { openStory } from './examples/story.js';
import type { Story } from './examples/story.js';
import { keepMessages, keepSensors } from './examples/telemetry.js';

let story: Story;
beforeAll(async () => {
  story = await openStory();
});
afterAll(() => story.stop());

/** One story with each operation that responds with JSON. */
it('keeps the examples of the API description', async () => {
  const collection = await keepItems(story);
  // Started late, so that the outbox has the same messages each time.
  await story.app.startWorker();
  const rooms = await keepRooms(story, collection);
  await keepIndexes(story, rooms);
  const sensors = await keepSensors(story, rooms);
  const tower = await keepVersions(story);
  await keepRelations(story, tower, [collection, sensors]);
  await keepMessages(story, sensors);
  await keepMany(story, rooms);
  await keepPermissions(story);

  const { kept, stored } = story.end();
  expect(kept).toEqual(stored);
});
