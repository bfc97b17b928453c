import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, vi } from 'vitest';
import { Route, Switch } from 'wouter';
import type { AppRouter } from '../../routers/_app.ts';
import type { ErrorDetails } from '../../routers/schemas/errors.ts';
import type { ReleaseList } from '../../routers/schemas/releases.ts';
import { trpc } from '../../src/api/trpc.ts';

/** Types into the field of this name, and returns it. */
export function typeInto(within: ParentNode, name: string, text: string): HTMLInputElement {
  const field = within.querySelector<HTMLInputElement>(`input[name="${name}"]`);
  if (field === null) throw new Error(`There is no field ${name}.`);
  // Past the setter of React, which would take the value for one that it knows.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
  flushSync(() => field.dispatchEvent(new Event('input', { bubbles: true })));
  return field;
}

/** Sends a form, which is free again a moment after it has said what is wrong (src/components/overlays/use-submit-once.ts). */
export async function submit(form: HTMLFormElement | null | undefined): Promise<void> {
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  // In the first of two turns the one before has settled, and after that a timer sets it free.
  await turn();
  await turn();
  form?.requestSubmit();
}

type Answer<Data = unknown> = (input: unknown, signal?: AbortSignal | null) => Data;

/**
 * The answers of the server by procedure; a procedure that is not named never answers. A list whose rows several
 * screens read has its whole shape: what lacks would fail in one of them.
 */
export type Answers = Record<string, Answer> & {
  'releases.list'?: Answer<ReleaseList | TRPCClientError<AppRouter> | Promise<ReleaseList>>;
};

export type ShownScreen = {
  page: HTMLElement;
  /** Resolves when the text is on the page. */
  sees(text: string): Promise<void>;
  button(name: string): HTMLButtonElement;
  /** Returns where a link of this name or label leads; undefined where there is none. */
  linkTo(name: string): string | undefined;
  /** Returns the rows of the one table, or the items of the list of this label. */
  rows(label: string): string[];
  [Symbol.dispose](): void;
};

/** Returns a refusal as the server's formatter writes it. */
export function refusal(
  code: string,
  message: string,
  details: Pick<Partial<ErrorDetails>, 'hint' | 'fieldErrors'> = {},
): TRPCClientError<AppRouter> {
  const data = { code, requestId: 'request-1', ...details };
  return TRPCClientError.from({ error: { code: -32000, message, data } });
}

/**
 * Returns the screen at an address of the app, in front of a server that gives these answers. `answers` may be changed
 * meanwhile.
 */
export function showScreen(screen: ReactNode, answers: Answers, place = { pattern: '/', path: '/' }): ShownScreen {
  const queries = { retry: false, staleTime: Number.POSITIVE_INFINITY } as const;
  const queryClient = new QueryClient({ defaultOptions: { queries } });
  const client = trpc.createClient({ links: [answering(answers)] });
  history.replaceState(null, '', place.path);
  const page = document.createElement('main');
  const root = createRoot(page);
  flushSync(() =>
    root.render(
      <trpc.Provider client={client} queryClient={queryClient}>
        <QueryClientProvider client={queryClient}>
          <Switch>
            <Route path={place.pattern}>{screen}</Route>
            <Route>
              <p>Elsewhere</p>
            </Route>
          </Switch>
        </QueryClientProvider>
      </trpc.Provider>,
    ),
  );
  return {
    page,
    sees: (text) => vi.waitFor(() => expect(page.textContent).toContain(text)),
    button: (name) => named(page.querySelectorAll('button'), name) ?? expect.fail(`There is no button ${name}`),
    linkTo: (name) => named(page.querySelectorAll('a'), name)?.getAttribute('href') ?? undefined,
    rows: (label) => {
      const within = `[aria-label="${label}"]`;
      return [...page.querySelectorAll(`${within} tbody tr, ${within} li`)].map((row) => row.textContent ?? '');
    },
    [Symbol.dispose]: () => root.unmount(),
  };
}

function named<Found extends Element>(found: Iterable<Found>, name: string): Found | undefined {
  return [...found].find((one) => (one.getAttribute('aria-label') ?? one.textContent)?.trim() === name);
}

function answering(answers: Answers): TRPCLink<AppRouter> {
  return () =>
    ({ op }) =>
      observable((observer) => {
        const answer = answers[op.path];
        if (answer === undefined) return;
        void Promise.resolve(answer(op.input, op.signal)).then((data) => {
          if (data instanceof TRPCClientError) return observer.error(data);
          observer.next({ result: { type: 'data', data } });
          observer.complete();
        });
      });
}
