import { z } from 'zod';

/** What stands for the namespace in a topic prefix. */
export const NAMESPACE = '{namespace}';

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
