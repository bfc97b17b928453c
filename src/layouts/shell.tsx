import { lazy, Suspense, useEffect, useLayoutEffect, useRef } from 'react';
import { Route } from 'wouter';
import { session, setSessionRedirect } from '../api/session/session.ts';
import { useUser } from '../api/user.ts';
import { Beside, ErrorBoundary } from '../components/page/error-boundary.tsx';
import { DisclaimerGate } from '../features/disclaimer/disclaimer-gate.tsx';
import { FeedbackPrompt } from '../features/feedback/feedback-prompt.tsx';
import { useAddress, useNavigate } from '../lib/browser/location.ts';
import { useTitle } from '../lib/browser/page-title.ts';
import { href, isAuthScreen } from '../lib/paths/paths.ts';
import { type AppRoute, findRoute, routes } from '../routes.tsx';
import { AccessGuard } from './access.tsx';
import { PlainLayout } from './plain.tsx';
import { SidebarFrame } from './sidebar-frame.tsx';
import { ScreenSkeleton } from './skeletons.tsx';

const loadData = async () => ({ default: (await import('./data-layout.tsx')).DataLayout });
const DataLayout = lazy(loadData);
/** Plain pages, including sign-in, do without the sidebar and its icons. */
const loadSidebar = async () => ({ default: (await import('./sidebar.tsx')).SidebarLayout });
const SidebarLayout = lazy(loadSidebar);
/** Subscribes through the client of the procedures, which a visitor's pages do without. */
const RealtimeProvider = lazy(async () => ({ default: (await import('../realtime/provider.tsx')).RealtimeProvider }));

const CommandPaletteKey = lazy(async () => ({
  default: (await import('./command-palette-key.tsx')).CommandPaletteKey,
}));

/** Assembles a page by the route table: disclaimer gate, layout, access guard and screen. */
export function Shell() {
  const { pathname } = useAddress();
  const { user } = useUser();
  const { route, title: routeTitle } = findRoute(pathname);
  const title = useTitle(routeTitle);
  useEarlyFetch(route);
  usePlansOfNewAccount(route, user !== null);
  useSessionRedirect();
  useDocumentHead(title, route.description);
  useArrival(isAuthScreen(pathname) ? 'auth' : pathname);

  const { Component: Screen } = route.screen;
  const routed = (
    <Route path={route.path}>
      <Screen />
    </Route>
  );
  const screen = (
    // The key keeps an error, and a screen's state, with their page. The tabs of sign-in are one page.
    <ErrorBoundary key={isAuthScreen(pathname) ? 'auth' : pathname} onFetchAgain={route.screen.fetchAgain}>
      <Suspense fallback={<ScreenSkeleton kind={route.skeleton} />}>
        <AccessGuard access={route.access}>{route.needsData ? <DataLayout>{routed}</DataLayout> : routed}</AccessGuard>
      </Suspense>
    </ErrorBoundary>
  );
  return (
    <>
      <DisclaimerGate title={routeTitle}>
        {route.layout === 'plain' ? (
          <PlainLayout>{screen}</PlainLayout>
        ) : (
          <Suspense
            fallback={
              <SidebarFrame>
                <ScreenSkeleton kind={route.skeleton} />
              </SidebarFrame>
            }
          >
            <SidebarLayout title={title}>{screen}</SidebarLayout>
          </Suspense>
        )}
      </DisclaimerGate>
      {user !== null && (
        <Beside key={user.id}>
          <RealtimeProvider />
        </Beside>
      )}
      {user !== null && (
        <Beside>
          <CommandPaletteKey />
        </Beside>
      )}
      <Beside>
        <FeedbackPrompt />
      </Beside>
    </>
  );
}

/** Loads screen and client at the same time, and not only after it is known who is signed in. */
function useEarlyFetch(route: AppRoute): void {
  useEffect(() => {
    if (route.access !== 'public' && !session.hasToken()) return;
    void route.screen.fetch();
    if (route.needsData) loadData().catch(() => {});
  }, [route]);
}

/** Loads the plans, which follow a registration, while its emptied form is still shown; a login on that page loads them, too. */
function usePlansOfNewAccount(route: AppRoute, isSignedIn: boolean): void {
  useEffect(() => {
    if (isSignedIn && (route === routes.register || route === routes.auth)) {
      void routes.subscriptionPricing.screen.fetch();
    }
  }, [route, isSignedIn]);
}

/** Lets the session machine lead to /auth through the router when the session ends: the tab keeps its state. */
function useSessionRedirect(): void {
  const navigate = useNavigate();
  useEffect(() => setSessionRedirect((path) => navigate(href.auth(path))), [navigate]);
}

function useDocumentHead(title: string, description = ''): void {
  useEffect(() => {
    document.title = `${title} · Fairlead`;
    document.querySelector('meta[name="description"]')?.setAttribute('content', description);
  }, [title, description]);
}

/** Scrolls each new page to the top and focuses its content, so that keyboard and screen reader start there. */
function useArrival(page: string): void {
  const lastPage = useRef(page);
  // Before the effects of the page itself, which may scroll to what a link names.
  useLayoutEffect(() => {
    if (lastPage.current === page) return;
    lastPage.current = page;
    window.scrollTo(0, 0);
    document.getElementById('content')?.focus({ preventScroll: true });
    document.body.dataset.arrived = '';
  }, [page]);
}
