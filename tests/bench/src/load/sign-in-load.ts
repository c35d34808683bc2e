import { signInAsBrowser } from '@dtplatform/stack/client';
import { argument, finish, repeat } from './program.js';

/** A user who signs in repeatedly, each time in a new browser. */
export interface SignInLoad {
  authorizeUrl: string;
  redirectUri: string;
  user: { email: string; password: string };
  browsers: number;
  seconds: number;
}

const { authorizeUrl, redirectUri, user, browsers, seconds } = argument<SignInLoad>();
const signIn = async () => {
  const back = await signInAsBrowser(new URL(authorizeUrl), user, { redirectUri });
  if (!back.searchParams.has('code')) throw new Error(`a sign-in ended at ${back.href}`);
};
finish(await repeat(browsers, seconds, signIn));
