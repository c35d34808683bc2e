import type { KoaContextWithOIDC } from 'oidc-provider';

/** Sends the browser back with the answer in the fragment (RFC 6749, section 4.2.2), without the code beside it. */
export function answerImplicit(
  context: KoaContextWithOIDC,
  redirectUri: string,
  { code: _code, ...answer }: Record<string, unknown>,
): void {
  const target = new URL(redirectUri);
  const fragment = new URLSearchParams();
  for (const [name, value] of Object.entries(answer)) fragment.set(name, String(value));
  if (fragment.has('token_type')) fragment.set('token_type', 'bearer');
  target.hash = fragment.toString();
  context.status = 303;
  context.redirect(target.href);
}
