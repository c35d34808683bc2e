import { z } from 'zod';

/** What stands for the namespace in a topic prefix. */
const NAMESPACE = '{namespace}';

/** A broker that the operator configured; sources name it as their `_connector`. */
const Connector = z.object({
  url: z.url({ protocol: /^(mqtts?|wss?|tcp|ssl)$/ }),
  username: z.string().optional(),
  password: z.string().optional(),
  /** The topics of a namespace are those below it. */
  topicPrefix: z
    .string()
    .max(256)
    .regex(/^[^+#\0]+$/)
    .refine(
      (prefix) => prefix.split('/').filter((level) => level === NAMESPACE).length === 1,
      `needs a level ${NAMESPACE}`,
    )
    .default(`dtplatform/${NAMESPACE}`),
});

/** Connectors by name, as JSON: `{"plant": {"url": "mqtts://broker:8883", "username": …, "password": …}}`. */
export const Connectors = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('is not JSON');
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string().min(1).max(100), Connector));
export type Connectors = z.infer<typeof Connectors>;
export type Connector = Connectors[string];

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
