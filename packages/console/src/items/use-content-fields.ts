import type { Schemas } from '@dtplatform/sdk';
import { printed, useJson, useText } from '../frame';
import type { Field, Values } from '../ui/fields';

/** The form of the attributes and data of a version. Data that is text stays text. */
export function useContentFields({ _userAttributes, _userData }: Schemas['Version']) {
  const { text } = useText();
  const parse = useJson();
  const isText = typeof _userData === 'string';
  const fields: Field[] = [
    { name: 'attributes', label: text('items.attributes'), kind: 'json', initial: printed(_userAttributes) },
    { name: 'data', label: text('items.data'), kind: 'json', initial: isText ? _userData : printed(_userData) },
  ];
  const contentOf = ({ attributes = '', data = '' }: Values) => ({
    _userAttributes: parse<Schemas['VersionContent']['_userAttributes']>(attributes),
    _userData: isText ? data : parse(data, Array.isArray(_userData)),
  });
  return { fields, contentOf };
}
