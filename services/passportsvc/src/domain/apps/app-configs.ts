import { z } from 'zod';

export const AppConfigKey = z.enum(['usergroups.limit', 'workspaces.limit']);
export type AppConfigKey = z.infer<typeof AppConfigKey>;

/** The configuration of an app (docs/contract.md, "Application configs"). */
export const AppConfigs = z.partialRecord(AppConfigKey, z.string().regex(/^\d{1,9}$/, 'must be a whole number')).meta({
  id: 'AppConfigs',
  description:
    'The configuration of an app: limits on what is created through it, as whole numbers in texts. Without a key there is no limit.',
});
export type AppConfigs = z.infer<typeof AppConfigs>;

/** A key that an app can have, and its name for people. */
export const AvailableConfig = z
  .object({
    key: AppConfigKey.describe('The key in the configuration.'),
    displayText: z.string().describe('The name of the key, for people.'),
  })
  .meta({ id: 'AvailableConfig', description: 'A key that the configuration of an app can have.' });

const TEXTS: Record<AppConfigKey, string> = {
  'usergroups.limit': 'Maximum number of user groups',
  'workspaces.limit': 'Maximum number of workspaces',
};

/** All keys that apps can have. */
export const AVAILABLE_CONFIGS: z.infer<typeof AvailableConfig>[] = AppConfigKey.options.map((key) => ({
  key,
  displayText: TEXTS[key],
}));
