import { lazy, Suspense, useEffect, useRef } from 'react';
import { Route } from 'wouter';
import { session, setSessionRedirect } from '../api/session.ts';
import { useUser } from '../api/user.ts';
import { DisclaimerGate } from '../features/disclaimer/disclaimer-gate.tsx';
import { FeedbackPrompt } from '../features/feedback/feedback-prompt.tsx';
import { useAddress, useNavigate } from '../lib/location.ts';
import { useTitle } from '../lib/page-title.ts';
import { href, isAuthScreen } from '../lib/paths.ts';
import { type AppRoute, findRoute } from '../routes.tsx';
import { AccessGuard } from './access.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { PlainLayout } from './plain.tsx';
import { SidebarFrame } from './sidebar-frame.tsx';
import { ScreenSkeleton } from './skeletons.tsx';

const loadData = async () => ({ default: (await import('./data-layout.tsx')).DataLayout });
const DataLayout = lazy(loadData);
/** The plain pages, sign-in among them, go without the sidebar and its icons. */
const loadSidebar = async () => ({ default: (await import('./sidebar.tsx')).SidebarLayout });
const SidebarLayout = lazy(loadSidebar);
/** Subscribes through the client of the procedures, which a visitor's pages go without. */
const RealtimeProvider = lazy(async () => ({ default: (await import('../realtime/provider.tsx')).RealtimeProvider }));

const CommandPaletteKey = lazy(async () => ({
  default: (await import('./command-palette-key.tsx')).CommandPaletteKey,
}));

/** Puts a page together as the route table says: disclaimer gate, layout, access guard and screen. */
export function Shell() {
  const { pathname } = useAddress();
  const { user } = useUser();
  const { route, title: routeTitle } = findRoute(pathname);
  const title = useTitle(routeTitle);
  useEarlyFetch(route);
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
    // Keyed: an error, and what a screen holds, stay with the page that they belong to. The tabs of sign-in are one page.
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
        <ErrorBoundary key={user.id} onFailed={() => {}}>
          <Suspense fallback={null}>
            <RealtimeProvider />
          </Suspense>
        </ErrorBoundary>
      )}
      {user !== null && (
        <ErrorBoundary onFailed={() => {}}>
          <Suspense fallback={null}>
            <CommandPaletteKey />
          </Suspense>
        </ErrorBoundary>
      )}
      <ErrorBoundary onFailed={() => {}}>
        <FeedbackPrompt />
      </ErrorBoundary>
    </>
  );
}

/** Screen and client come at once, not one after the other behind the question who is signed in. */
function useEarlyFetch(route: AppRoute): void {
  useEffect(() => {
    if (route.access !== 'public' && !session.hasToken()) return;
    route.screen.fetch();
    if (route.needsData) loadData().catch(() => {});
  }, [route]);
}

/** When the session ends, its machine leads to /auth through the router: nothing that the tab holds is lost. */
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
  useEffect(() => {
    if (lastPage.current === page) return;
    lastPage.current = page;
    window.scrollTo(0, 0);
    document.getElementById('content')?.focus({ preventScroll: true });
    document.body.dataset.arrived = '';
  }, [page]);
}
