const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
/** Parameters that name the namespace of a call. */
export const NAMESPACES = ['nsfilter', 'namespace', '_namespace'];

/** Operations that programs call: not pages, which respond with HTML or redirect to it. */
export function callable({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] && !isPage(item[method])).map((method) => ({
      ...{ path, method, operation: item[method] },
    })),
  );
}

/**
 * The parameter with the namespace that limits a call only if it is sent, if any. Metrics take it as `namespace`, and
 * `nsfilter` as a repetition.
 */
export function namespaceFilterOf({ parameters = [] }, method) {
  const isFilter = ({ name, required }) => {
    if (name === '_namespaces') return !required && method === 'get';
    return name === 'nsfilter' && !required && !parameters.some((other) => other.name === 'namespace');
  };
  return parameters.find(isFilter)?.name;
}

/** Whether an operation responds with HTML, or redirects to it. */
export function isPage({ responses }) {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return good.length === 0 || good.some(([, { content }]) => content?.['text/html']);
}
