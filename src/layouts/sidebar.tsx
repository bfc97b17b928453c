import { CircleUserRound, LogOut, Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { Mark } from '../components/mark.tsx';
import { Offline } from '../components/offline.tsx';
import { ConfirmBanner } from '../features/auth/confirm-banner.tsx';
import { useLogout } from '../features/auth/use-logout.ts';
import { useAddress } from '../lib/browser/location.ts';
import { paths } from '../lib/paths/paths.ts';
import { openCommandPalette } from './command-palette-key.tsx';
import { MobileMenu } from './mobile-menu.tsx';
import { idleEntryLook, NavGroups, NavList } from './nav-list.tsx';
import { footerEntries, mobileGroups, sidebarGroups } from './navigation.ts';
import { SidebarFrame } from './sidebar-frame.tsx';
import { SkipLink } from './skip-link.tsx';
import { LazyAccountMenu, Sending } from './top-bar.tsx';
import { TrialDays } from './trial-days.tsx';

/** Shows the sidebar, or on a small screen a bar with the title, beside the content. */
export function SidebarLayout({ title, children }: { title: string; children: ReactNode }) {
  const { user } = useUser();
  useEffect(takeFocus, []);
  return (
    <SidebarFrame
      aside={
        <>
          <SkipLink />
          <Sidebar />
        </>
      }
      bar={<MobileBar title={title} />}
    >
      <Offline className="top-2 mb-6 max-lg:top-16" />
      {user !== null && !user.emailConfirmed && <ConfirmBanner user={user} />}
      {children}
    </SidebarFrame>
  );
}

/**
 * Takes the focus. When this layout replaces another, it appears after the focus was set, in place of the focused
 * element.
 */
function takeFocus(): void {
  if (document.body.dataset.arrived === undefined || document.activeElement !== document.body) return;
  document.getElementById('content')?.focus({ preventScroll: true });
}

function Sidebar() {
  const { user, isLoading, error } = useUser();
  return (
    <aside className="fixed inset-y-0 left-0 z-30 flex w-sidebar flex-col border-r border-line bg-surface-sunken px-3 pt-4 pb-3 max-lg:hidden short:pt-3 print:hidden">
      <div className="mb-5 ml-2 flex items-center short:mb-3">
        <Link to={paths.home} className="flex min-w-0 grow items-center gap-2.5 rounded-control">
          <Mark />
          <span className="flex flex-col">
            <span className="text-base font-semibold">Fairlead</span>
            {/* On one line, also beside the button that comes later: what is below would move, and scroll out of sight. */}
            <span className="text-xs whitespace-nowrap text-ink-muted">Fast domain deployment</span>
          </span>
        </Link>
        {user !== null && (
          <IconButton label="Go to" title="Go to (Ctrl K)" aria-keyshortcuts="Control+K" onClick={openCommandPalette}>
            <Search />
          </IconButton>
        )}
      </div>
      <MainNav />
      <Sending look="list" />
      <div className="-mx-3 flex flex-col border-t border-line px-3 pt-2">
        {/* As high while nobody knows yet who is here: what stands above would move, and scroll out of sight. */}
        <div className="mb-2 border-b border-line pb-2">
          {user !== null && <LazyAccountMenu user={user} look="row" />}
          {user === null && isLoading && <span className="block h-control" />}
          {user === null && error !== null && <UnnamedAccount />}
          {user === null && error === null && !isLoading && <LoginButton className="w-full" />}
        </div>
        <nav aria-label="More">
          <NavList entries={footerEntries} />
          <LogoutEntry />
        </nav>
      </div>
    </aside>
  );
}

/** Shows all groups; when the window is too low they scroll, and the footer stays. */
function MainNav() {
  const { pathname } = useAddress();
  const nav = useRef<HTMLElement>(null);
  // The result is not returned: newer browsers answer with a promise, which React would call when the page is left.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page marks an entry of its own
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [pathname]);
  return (
    <nav
      ref={nav}
      aria-label="Main"
      className="-mx-3 flex min-h-0 grow scroll-py-6 flex-col gap-5 overflow-y-auto [scrollbar-color:var(--color-line-strong)_transparent] [scrollbar-gutter:stable] [scrollbar-width:thin] mask-b-from-[calc(100%-0.75rem)] pt-1 pr-1 pb-3 pl-3 short:gap-3"
    >
      <NavGroups groups={sidebarGroups} />
    </nav>
  );
}

/** Stands for a signed-in person whose name could not be loaded. */
function UnnamedAccount() {
  return (
    <p className="flex h-control items-center gap-2.5 px-2 text-sm text-ink-muted">
      <CircleUserRound /> Logged in
    </p>
  );
}

/** Shown to a visitor above the Logout entry, which everybody sees. */
function LoginButton({ className }: { className?: string }) {
  return (
    <Button asChild className={className}>
      <Link to={paths.login}>Log in</Link>
    </Button>
  );
}

/** Points to /login and logs out; for a visitor it only leads there. */
function LogoutEntry() {
  const { user, isLoading } = useUser();
  const { logout } = useLogout();
  return (
    <Link
      to={paths.login}
      onClick={(event) => {
        // A person who leaves before the user is loaded may well be signed in.
        if (user === null && !isLoading) return;
        event.preventDefault();
        logout();
      }}
      className={idleEntryLook}
    >
      <LogOut />
      Logout
    </Link>
  );
}

function MobileBar({ title }: { title: string }) {
  const { user, isLoading, error } = useUser();
  return (
    <>
      <MobileMenu
        renderLinks={(close) => (
          <nav aria-label="Main" className="flex flex-col gap-5 p-3">
            <NavGroups groups={mobileGroups} onNavigate={close} />
          </nav>
        )}
      />
      <p className="line-clamp-2 min-w-0 grow leading-tight font-semibold wrap-anywhere">{title}</p>
      {user === null ? (
        <>
          {!isLoading && error === null && <LoginButton />}
          <Link to={paths.home} className="flex size-11 items-center justify-center rounded-control">
            <Mark className="size-6" />
            <span className="sr-only">Fairlead, Home</span>
          </Link>
        </>
      ) : (
        <>
          {/* There is room for one of them, and on a telephone for two lines sooner than for a title in two. */}
          <Sending look="bar">
            <TrialDays className="shrink-0 max-sm:w-min text-xs text-ink-muted" />
          </Sending>
          <LazyAccountMenu user={user} look="icon" />
        </>
      )}
    </>
  );
}
