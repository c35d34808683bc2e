import { z } from 'zod';

/** The placeholder in a topic prefix. */
const NAMESPACE = '{namespace}';

/** A broker configured by the operator. Sources refer to it as `_connector`. */
const Connector = z.object({
  url: z.url({ protocol: /^(mqtts?|wss?|tcp|ssl)$/ }),
  username: z.string().optional(),
  password: z.string().optional(),
  /** A namespace owns the topics below its prefix. */
  topicPrefix: z
    .string()
    .max(256)
    .regex(/^[^+#\0]+$/)
    .refine(
      (prefix) => prefix.split('/').filter((level) => level === NAMESPACE).length === 1,
      `must contain the level ${NAMESPACE}`,
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

/** A namespace that is not a plain topic level gets no topics. */
const isLevel = (namespace: string) => !/[+#/\0]/.test(namespace);

/** Maps namespaces to topics below a prefix. A tenant's filters cannot escape them. */
export function topicsBelow(prefix: string) {
  const levels = prefix.split('/');
  const place = levels.indexOf(NAMESPACE);
  return {
    /** One filter for all topics of a namespace, so that subscriptions never overlap. */
    filterOf: (namespace: string): string | undefined =>
      isLevel(namespace) ? `${levels.with(place, namespace).join('/')}/#` : undefined,

    /** Splits a topic into its namespace and the channel that source filters match. */
    parse(topic: string): { namespace: string; channel: string } | undefined {
      const parts = topic.split('/');
      const isBelow =
        parts.length > levels.length && levels.every((level, index) => index === place || level === parts[index]);
      return isBelow ? { namespace: parts[place]!, channel: parts.slice(levels.length).join('/') } : undefined;
    },
  };
}
