import type { Listing, Paging } from '@dtplatform/contracts';
import { defineModel, flag, id, oneOf, text } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { ComponentDescription } from './component.js';

/** A component that another process serves. */
interface StoredComponent {
  /** Its name. */
  _id: string;
  description: string;
  mayRunAgain: boolean;
  /** The JSON Schema as text, because its keywords start with `$`. */
  parametersText: string;
}

export const registeredComponentModel = defineModel<StoredComponent>('components', {
  _id: id,
  description: text,
  mayRunAgain: flag,
  parametersText: text,
});

export function createRegisteredComponentStore(mongo: Mongo) {
  const components = mongo.model(registeredComponentModel);
  return {
    async put({ name, parameters, description, mayRunAgain }: ComponentDescription): Promise<void> {
      const $set = { description, mayRunAgain, parametersText: JSON.stringify(parameters) };
      await components.updateOne({ _id: name }, { $set }, { upsert: true });
    },
    /** False if there is no component of this name. */
    remove: async (name: string): Promise<boolean> => (await components.deleteOne({ _id: name })).deletedCount === 1,
    named: async (names: readonly string[]): Promise<ComponentDescription[]> =>
      (await components.find({ _id: oneOf(names) }).lean<StoredComponent[]>()).map(described),
    /** Ordered by name. */
    async list({ offset, pageSize }: Paging): Promise<Listing<ComponentDescription>> {
      const total = await components.countDocuments();
      if (pageSize === 0) return { list: [], total };
      const found = await components.find().sort({ _id: 1 }).skip(offset).limit(pageSize).lean<StoredComponent[]>();
      return { list: found.map(described), total };
    },
  };
}

export type RegisteredComponentStore = ReturnType<typeof createRegisteredComponentStore>;

const described = ({ _id, parametersText, description, mayRunAgain }: StoredComponent): ComponentDescription => ({
  name: _id,
  description,
  mayRunAgain,
  parameters: JSON.parse(parametersText) as ComponentDescription['parameters'],
});
