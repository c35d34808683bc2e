import { PASSPORT, type Page } from '../http/paths.js';
import { expect, type Tour } from '../tour.js';
import type { Person } from './people.js';

interface Workspace {
  _id: string;
  _namespaces: string[];
}

/** Creates a workspace and returns its namespace, in which the creator has all permissions. */
export async function openWorkspace(tour: Tour, owner: Person): Promise<string> {
  const workspace = await tour.step('A workspace is created, with a namespace of its own', async () => {
    const { body } = await owner.call<Page<Workspace>>('POST', `${PASSPORT}/workspaces`, {
      json: [{ _name: `Tour ${tour.mark}`, _shortName: `tour_${tour.mark}`, _userType: 'tour', _userAttributes: {} }],
      expect: 201,
    });
    return body._list[0]!;
  });
  await tour.step("The owner's workspaces include it", async () => {
    const query = { _shortName: `tour_${tour.mark}` };
    const { body } = await owner.call<Page<Workspace>>('GET', `${PASSPORT}/workspaces`, { query });
    const ids = body._list.map(({ _id }) => _id);
    expect('the list', ids, [workspace._id]);
  });
  return workspace._namespaces[0]!;
}
