import { FILES, ITEMS, type Page, PERMISSIONS } from '../http/paths.js';
import { expect, type Tour } from '../tour.js';
import type { FileRecord } from './files.js';
import type { Item } from './items.js';
import type { People, Person } from './people.js';

interface GrantedList {
  _list: { _success: { _id: string }[]; _failures: unknown[] };
}

/** Only the owner has access unless and until they share it. */
export async function share(
  tour: Tour,
  people: People,
  namespace: string,
  { file, item }: { file: FileRecord; item: Item },
) {
  const { owner, partner, outsider } = people;
  const query = { nsfilter: namespace };
  const grantRead = async (irn: string, to: Person): Promise<string> => {
    const user = { _type: 'user', _id: to.id };
    const json = [{ _namespace: namespace, _resourceDesc: { _irn: irn }, _user: user, _actions: ['READ'] }];
    const { body } = await owner.call<GrantedList>('PUT', PERMISSIONS, { json });
    expect('_failures', body._list._failures, []);
    return body._list._success[0]!._id;
  };
  const expectFile = (who: Person, status: number) =>
    who.call('GET', `${FILES}/${file._id}`, { query, expect: status });
  const expectItem = (who: Person, status: number) =>
    who.call('GET', `${ITEMS}/${item._id}`, { query, expect: status });
  const expectInList = async (who: Person, path: string, ids: string[]) => {
    const { body } = await who.call<Page<{ _id: string }>>('GET', path, { query });
    const got = body._list.map(({ _id }) => _id);
    expect(`the list of ${path}`, got, ids);
  };

  await tour.step('Without a token everything is refused (401)', async () => {
    await tour.caller().call('GET', `${FILES}/${file._id}`, { query, expect: 401 });
    await tour.caller().call('GET', ITEMS, { query, expect: 401 });
  });
  const permission = await tour.step('The owner shares the model with the partner, who reads it', async () => {
    await expectFile(partner, 404);
    const granted = await grantRead(file._irn, partner);
    await expectFile(partner, 200);
    await expectInList(partner, FILES, [file._id]);
    return granted;
  });
  await tour.step('The outsider is refused: 404, and empty lists', async () => {
    await expectFile(outsider, 404);
    await expectItem(outsider, 404);
    await expectInList(outsider, FILES, []);
    await expectInList(outsider, ITEMS, []);
  });
  await tour.step('After a revocation, the partner is rejected at once', async () => {
    await owner.call('DELETE', `${PERMISSIONS}/${permission}`, { expect: 204 });
    await expectFile(partner, 404);
    await expectInList(partner, FILES, []);
  });
  await tour.step('The owner shares the workspace, in every service; and closes it again', async () => {
    const all = await grantRead('*:*:*', partner);
    await expectFile(partner, 200);
    await expectItem(partner, 200);
    await owner.call('DELETE', `${PERMISSIONS}/${all}`, { expect: 204 });
    await expectItem(partner, 404);
    await expectFile(partner, 404);
  });
}
