import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { keepAdministration, keepApplications, keepConsents, keepServer } from './examples/applications.js';
import { keepScimServers } from './examples/scim-servers.js';
import { openStory } from './examples/story.js';
import type { Story } from './examples/story.js';
import { keepTeams, keepTemplates, keepWorkspaces } from './examples/teams.js';
import { keepScim, keepUsers } from './examples/users.js';

let story: Story;
beforeAll(async () => {
  story = await openStory();
});
afterAll(() => story.stop());

/** All JSON operations of the reference in one story. */
it('keeps the examples of the API reference', async () => {
  const people = await keepUsers(story);
  const viewer = await keepApplications(story, people);
  const { olga } = viewer;
  await keepServer(story);
  await keepAdministration(story, people);
  await keepConsents(story, people, olga);
  await keepWorkspaces(story, olga);
  await keepTeams(story, people, viewer);
  await keepTemplates(story, olga);
  await keepScim(story);
  await keepScimServers(story);

  const { kept, stored } = story.examples.end();
  expect(kept).toEqual(stored);
});
