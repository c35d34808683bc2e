export { ConfigError, loadConfig } from './load-config.js';
export {
  authSettings,
  commaSeparated,
  flag,
  httpSettings,
  httpUrl,
  mongoSettings,
  processSettings,
  redisSettings,
  s3Settings,
  wholeNumber,
} from './settings.js';
