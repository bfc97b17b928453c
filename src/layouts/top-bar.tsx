import { type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { classNames } from '../components/class-names.ts';
import { Mark } from '../components/mark.tsx';
import { Beside, ErrorBoundary } from '../components/page/error-boundary.tsx';
import { useWantedPage } from '../features/disclaimer/wanted-page.ts';
import { useAddress } from '../lib/browser/location.ts';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { href, isAuthScreen, matchesPath, paths } from '../lib/paths/paths.ts';
import { wantedRedirect } from '../lib/paths/safe-redirect.ts';
import { isUnderWay, useSendings } from '../uploads/sendings.ts';
import type { AccountMenuProps } from './account-menu.tsx';
import { MobileMenu } from './mobile-menu.tsx';
import type { SendingStatusProps } from './sending-status.tsx';

type BarEntry = { to: string; label: string };

const links: readonly BarEntry[] = [
  { to: paths.home, label: 'Home' },
  { to: paths.dashboard, label: 'Dashboard' },
  { to: paths.about, label: 'About' },
];

/** The menu's library is a fifth of a public page, whose visitors mostly have no account. */
const accountMenu = lazyComponent<AccountMenuProps>(async () => (await import('./account-menu.tsx')).AccountMenu);

/** Loaded when something is sent. */
const sendingStatus = lazyComponent<SendingStatusProps>(
  async () => (await import('./sending-status.tsx')).SendingStatus,
);

export function TopBar() {
  const { pathname } = useAddress();
  const { user, isLoading } = useUser();
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-surface-raised">
      <div className="flex h-bar items-center gap-2 px-4 sm:px-10">
        <Link
          to={paths.home}
          className="-ml-1 flex shrink-0 items-center gap-2.5 rounded-control p-1 text-lg font-semibold touch:py-2.5"
        >
          <Mark />
          Fairlead
        </Link>
        <nav aria-label="Main" className="ml-6 flex items-center gap-1 max-sm:hidden">
          {links.map(({ to, label }) => (
            <BarLink key={to} to={to} label={label} isCurrent={matchesPath(to, pathname)} />
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-2">
          <Sending look="bar" />
          {/* Empty until it is known who looks, so that no button turns into another. */}
          {!isLoading && user === null && <VisitorButtons pathname={pathname} />}
          {user !== null && <LazyAccountMenu user={user} look="bar" />}
          <MobileMenu
            className="sm:hidden"
            renderLinks={(close) => <MenuLinks isVisitor={user === null} pathname={pathname} onTap={close} />}
          />
        </div>
      </div>
    </header>
  );
}

/** Shows how much this page has sent of what it sends; its children while it sends nothing. */
export function Sending({ look, children }: SendingStatusProps & { children?: ReactNode }) {
  if (!useSendings().some(isUnderWay)) return children;
  return (
    <Beside>
      <sendingStatus.Component look={look} />
    </Beside>
  );
}

function BarLink({ to, label, isCurrent }: { to: string; label: string; isCurrent: boolean }) {
  return (
    <Link
      to={to}
      aria-current={isCurrent ? 'page' : undefined}
      className={classNames(
        'flex h-control items-center rounded-control px-3 transition-colors hover:bg-surface-hover hover:text-ink',
        isCurrent ? 'bg-surface-sunken font-medium text-ink' : 'text-ink-muted',
      )}
    >
      {label}
    </Link>
  );
}

/** Returns where a sign-in leads that begins here: on, to where the sign-in screen or the disclaimer was met. */
function useSignInRedirect(): string | undefined {
  const { search } = useAddress();
  const wanted = useWantedPage();
  const behindGate = wanted === null || wanted.to === paths.home ? undefined : wanted.to;
  return wantedRedirect(new URLSearchParams(search).get('redirect'), location.origin) ?? behindGate;
}

function VisitorButtons({ pathname }: { pathname: string }) {
  const redirect = useSignInRedirect();
  const isRegister = matchesPath(paths.register, pathname);
  const isLogin = isAuthScreen(pathname) && !isRegister;
  return (
    <>
      <Button asChild variant="quiet" className="max-sm:hidden">
        <Link to={href.login(redirect)} aria-current={isLogin ? 'page' : undefined}>
          Login
        </Link>
      </Button>
      <Button asChild variant="primary" className="max-sm:hidden">
        <Link to={href.register(redirect)} aria-current={isRegister ? 'page' : undefined}>
          Register
        </Link>
      </Button>
    </>
  );
}

/** The account menu; if its file could not be loaded, a button in its place tries again. */
export function LazyAccountMenu(props: AccountMenuProps) {
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed) {
    return (
      <Button
        onClick={() => {
          accountMenu.fetchAgain();
          setFailed(false);
        }}
      >
        Account menu
      </Button>
    );
  }
  return (
    <ErrorBoundary onFailed={() => setFailed(true)}>
      <Suspense fallback={<span className="block size-control" />}>
        <accountMenu.Component {...props} />
      </Suspense>
    </ErrorBoundary>
  );
}

type MenuLinksProps = { isVisitor: boolean; pathname: string; onTap: () => void };

function MenuLinks({ isVisitor, pathname, onTap }: MenuLinksProps) {
  const redirect = useSignInRedirect();
  const visitorLinks: readonly BarEntry[] = [
    { to: href.login(redirect), label: 'Login' },
    { to: href.register(redirect), label: 'Register' },
  ];
  return (
    <nav aria-label="Main" className="flex flex-col p-3">
      {(isVisitor ? [...links, ...visitorLinks] : links).map(({ to, label }) => {
        const isCurrent = matchesPath(to.split('?')[0] ?? to, pathname);
        return (
          <Link
            key={to}
            to={to}
            onClick={onTap}
            aria-current={isCurrent ? 'page' : undefined}
            className={classNames(
              'flex h-11 items-center rounded-control px-3 text-base hover:bg-surface-hover',
              isCurrent ? 'font-medium text-ink' : 'text-ink-muted',
            )}
          >
            {label}
          </Link>
        );
      })}
    </nav>
  );
}
