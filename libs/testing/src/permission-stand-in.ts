import { permissionAnswers, startAnswers } from './answers.js';

/**
 * A fake of objectmodelsvc for examples: grants and lists one permission, which `ben` holds.
 * @param irn the resources that it is for
 * @param more responses of other services that the examples need, by method and path
 */
export async function startPermissionStandIn(irn: string, namespace: string, more: Record<string, object> = {}) {
  const entry = {
    ...{ _namespace: namespace, _resourceDesc: { _irn: irn }, _user: { _type: 'user', _id: 'ben' } },
    _actions: ['READ'],
  };
  const { url, stop } = await startAnswers({ ...permissionAnswers(entry), ...more });
  return {
    url,
    environment: { OBJECTMODELSVC_URL: url },
    entry,
    query: {
      ...{ _namespace: namespace, '_user._id': 'ben', '_user._type': 'user', '_resourceDesc._irn': irn },
      patternmatch: 'false',
    },
    stop,
  };
}
