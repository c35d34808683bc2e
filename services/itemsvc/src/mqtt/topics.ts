import { NAMESPACE } from './connectors.js';

/** Namespaces that could be more than one level, or all of them, have no topics. */
const isLevel = (namespace: string) => !/[+#/\0]/.test(namespace);

/** The topics of namespaces below a prefix. One tenant's filters cannot lead out of them (docs/adr/0070). */
export function topicsBelow(prefix: string) {
  const levels = prefix.split('/');
  const place = levels.indexOf(NAMESPACE);
  return {
    /** What is subscribed to for a namespace: all of its topics, so that subscriptions never overlap. */
    filterOf: (namespace: string): string | undefined =>
      isLevel(namespace) ? `${levels.with(place, namespace).join('/')}/#` : undefined,

    /** The namespace of a topic, and the rest that the filters of its sources are compared with. */
    parse(topic: string): { namespace: string; channel: string } | undefined {
      const parts = topic.split('/');
      const isBelow =
        parts.length > levels.length && levels.every((level, index) => index === place || level === parts[index]);
      return isBelow ? { namespace: parts[place]!, channel: parts.slice(levels.length).join('/') } : undefined;
    },
  };
}
