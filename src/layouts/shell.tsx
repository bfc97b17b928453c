import { lazy, Suspense, useEffect, useRef } from 'react';
import { Route, Routes, useLocation, useNavigate } from 'react-router';
import { session, setSessionRedirect } from '../api/session.ts';
import { useUser } from '../api/user.ts';
import { DisclaimerGate } from '../features/disclaimer/disclaimer-gate.tsx';
import { useTitle } from '../lib/page-title.ts';
import { href, isAuthScreen } from '../lib/paths.ts';
import { type AppRoute, findRoute } from '../routes.tsx';
import { AccessGuard } from './access.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { PlainLayout } from './plain.tsx';
import { SidebarFrame } from './sidebar-frame.tsx';
import { ScreenSkeleton } from './skeletons.tsx';

const loadData = async () => ({ default: (await import('../api/data-provider.tsx')).DataProvider });
const DataProvider = lazy(loadData);
/** The plain pages, sign-in among them, go without the sidebar and its icons. */
const loadSidebar = async () => ({ default: (await import('./sidebar.tsx')).SidebarLayout });
const SidebarLayout = lazy(loadSidebar);
/** The socket and the floating button come after the first paint, in files of their own. */
const RealtimeProvider = lazy(async () => ({ default: (await import('../realtime/provider.tsx')).RealtimeProvider }));
const FeedbackPrompt = lazy(async () => ({
  default: (await import('../features/feedback/feedback-prompt.tsx')).FeedbackPrompt,
}));

/** One page: gate, layout, guard and screen as the route table says. */
export function Shell() {
  const { pathname } = useLocation();
  const { user } = useUser();
  const { route, title: routeTitle } = findRoute(pathname);
  const title = useTitle(routeTitle);
  useEarlyFetch(route);
  useSessionRedirect();
  useDocumentHead(title, route.description);
  useArrival(isAuthScreen(pathname) ? 'auth' : pathname);

  const { Screen } = route.screen;
  const routed = (
    <Routes>
      <Route path={route.path} element={<Screen />} />
    </Routes>
  );
  const screen = (
    // Keyed: an error, and what a screen holds, stay with the page that they belong to. The tabs of sign-in are one page.
    <ErrorBoundary key={isAuthScreen(pathname) ? 'auth' : pathname} onFetchAgain={route.screen.fetchAgain}>
      <Suspense fallback={<ScreenSkeleton kind={route.skeleton} />}>
        <AccessGuard access={route.access}>
          {route.needsData ? <DataProvider>{routed}</DataProvider> : routed}
        </AccessGuard>
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
      <ErrorBoundary onFailed={() => {}}>
        <Suspense fallback={null}>
          <FeedbackPrompt />
        </Suspense>
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
  useEffect(() => setSessionRedirect((path) => void navigate(href.auth(path))), [navigate]);
}

function useDocumentHead(title: string, description: string): void {
  useEffect(() => {
    document.title = `${title} · Fairlead`;
    document.querySelector('meta[name="description"]')?.setAttribute('content', description);
  }, [title, description]);
}

/** On a new page: to the top, and the focus to its content, so that keyboard and screen reader start there. */
function useArrival(page: string): void {
  const lastPage = useRef(page);
  useEffect(() => {
    if (lastPage.current === page) return;
    lastPage.current = page;
    window.scrollTo(0, 0);
    document.getElementById('content')?.focus({ preventScroll: true });
  }, [page]);
}
