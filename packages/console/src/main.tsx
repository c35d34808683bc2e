import { Button, MantineProvider, Stack, Text, Title } from '@mantine/core';
import { SignedOutError } from '@dtplatform/sdk';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { loadTexts, TextProvider, useText } from './messages/text';
import { router } from './router';
import { completeSignIn, loadRoles, session, SIGNED_OUT, signIn } from './session';
import './ui/mantine';
import './style.css';
import { Failure } from './ui/states';

/** A session that ended elsewhere ends here, too. */
const onError = (error: Error) => void (error instanceof SignedOutError && signIn());
// The SDK retries.
const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: { queries: { retry: false, networkMode: 'always' }, mutations: { networkMode: 'always' } },
});

const texts = await loadTexts();
const page = createRoot(document.getElementById('root')!);
const show = (content: ReactNode) =>
  page.render(
    // The policy of the server forbids inline styles: the variables come from the style sheet.
    <MantineProvider defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <TextProvider initial={texts}>
        <QueryClientProvider client={queries}>{content}</QueryClientProvider>
      </TextProvider>
    </MantineProvider>,
  );

function Outside({ error }: { error?: Error }) {
  const { text } = useText();
  return (
    <Stack component="main" align="center" pt="20vh">
      <Title>{text('app.title')}</Title>
      {error ? <Failure error={error} /> : <Text>{text('app.signedOut')}</Text>}
      <Button onClick={() => void signIn()}>{text('app.signIn')}</Button>
    </Stack>
  );
}

try {
  // Browsers compute the digests of a sign-in only there.
  if (!isSecureContext) throw new Error(texts.messages['app.insecure']);
  await completeSignIn();
  if (await session.isSignedIn()) {
    await loadRoles();
    show(<RouterProvider router={router} />);
  } else if (location.href === SIGNED_OUT) show(<Outside />);
  else await signIn();
} catch (error) {
  show(<Outside error={error as Error} />);
}
