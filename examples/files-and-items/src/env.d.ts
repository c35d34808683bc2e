interface ImportMetaEnv {
  /** Where the platform is. */
  readonly VITE_BASE_URL: string;
  /** The id of this app, once it is registered. */
  readonly VITE_CLIENT_ID: string;
}
