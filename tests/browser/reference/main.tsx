import { zodResolver } from '@hookform/resolvers/zod';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createWSClient, httpBatchLink, splitLink, wsLink } from '@trpc/client';
import { createTRPCReact } from '@trpc/react-query';
import { Dialog, Toast } from 'radix-ui';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { useForm } from 'react-hook-form';
import { createBrowserRouter, RouterProvider } from 'react-router';
import superjson from 'superjson';
import * as z from 'zod';
import type { AppRouter } from '../../../routers/_app.ts';

/** The libraries of the app with one login form and nothing else: what the first loads are compared with. */
const trpc = createTRPCReact<AppRouter>();
const queryClient = new QueryClient();
const socket = createWSClient({ url: '/api/trpc' });
const client = trpc.createClient({
  links: [
    splitLink({
      condition: (operation) => operation.type === 'subscription',
      true: wsLink({ client: socket, transformer: superjson }),
      false: httpBatchLink({ url: '/api/trpc', transformer: superjson }),
    }),
  ],
});
const loginSchema = z.object({ username: z.string().min(3), password: z.string().min(6) });

function LoginForm() {
  const [isOpen, setOpen] = useState(false);
  const login = trpc.auth.login.useMutation({ onSuccess: () => setOpen(true) });
  const form = useForm({ resolver: zodResolver(loginSchema), defaultValues: { username: '', password: '' } });
  trpc.events.stream.useSubscription({}, { onData: () => setOpen(true) });
  return (
    <form onSubmit={form.handleSubmit((fields) => login.mutate(fields))}>
      <input {...form.register('username')} aria-label="User name" />
      <input {...form.register('password')} aria-label="Password" type="password" />
      <button type="submit">Log in</button>
      <Dialog.Root open={isOpen} onOpenChange={setOpen}>
        <Dialog.Portal>
          <Dialog.Overlay />
          <Dialog.Content>
            <Dialog.Title>Welcome</Dialog.Title>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
      <Toast.Provider>
        <Toast.Root open={login.isError}>
          <Toast.Title>Login failed</Toast.Title>
        </Toast.Root>
        <Toast.Viewport />
      </Toast.Provider>
    </form>
  );
}

const routes = createBrowserRouter([{ path: '/', element: <LoginForm /> }]);
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <trpc.Provider client={client} queryClient={queryClient}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={routes} />
        </QueryClientProvider>
      </trpc.Provider>
    </StrictMode>,
  );
}
