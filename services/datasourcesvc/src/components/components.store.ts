import { defineModel, flag, id, oneOf, text } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { ComponentDescription } from './component.js';
import type { RegisteredComponentStore } from './components.js';

/** A component that another process serves. */
interface StoredComponent {
  /** Its name. */
  _id: string;
  description: string;
  mayRunAgain: boolean;
  /** The JSON Schema as text: its keywords begin with `$`. */
  parametersText: string;
}

export const registeredComponentModel = defineModel<StoredComponent>('components', {
  _id: id,
  description: text,
  mayRunAgain: flag,
  parametersText: text,
});

/** Registered components in MongoDB. */
export function createRegisteredComponentStore(mongo: Mongo): RegisteredComponentStore {
  const components = mongo.model(registeredComponentModel);
  return {
    async put({ name, parameters, description, mayRunAgain }) {
      const $set = { description, mayRunAgain, parametersText: JSON.stringify(parameters) };
      await components.updateOne({ _id: name }, { $set }, { upsert: true });
    },
    remove: async (name) => (await components.deleteOne({ _id: name })).deletedCount === 1,
    named: async (names) => (await components.find({ _id: oneOf(names) }).lean<StoredComponent[]>()).map(described),
    async list({ offset, pageSize }) {
      const total = await components.countDocuments();
      if (pageSize === 0) return { list: [], total };
      const found = await components.find().sort({ _id: 1 }).skip(offset).limit(pageSize).lean<StoredComponent[]>();
      return { list: found.map(described), total };
    },
  };
}

const described = ({ _id, parametersText, description, mayRunAgain }: StoredComponent): ComponentDescription => ({
  name: _id,
  description,
  mayRunAgain,
  parameters: JSON.parse(parametersText) as ComponentDescription['parameters'],
});
