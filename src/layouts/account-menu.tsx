import { ChevronsUpDown, CircleUserRound, LifeBuoy, LogOut, Search, Tag } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { User } from '../../routers/schemas/user.ts';
import { IconButton } from '../components/icon-button.tsx';
import { Menu, MenuChoice, MenuFooter, MenuItem, MenuLabel, MenuSeparator } from '../components/overlays/menu.tsx';
import { useLogout } from '../features/auth/use-logout.ts';
import { useTheme } from '../lib/browser/use-theme.ts';
import { paths } from '../lib/paths/paths.ts';
import type { Theme } from '../lib/storage/storage.ts';
import { openCommandPalette } from './command-palette-key.tsx';
import { toolEntries } from './navigation.ts';
import { TrialDays } from './trial-days.tsx';

export type AccountMenuProps = {
  user: User;
  /**
   * `row`: at the foot of the sidebar, with the name; `icon`: in the bar of a phone; `bar`: in the bar of a page
   * without the sidebar, beside the days left of the trial where there is room for them.
   */
  look: 'row' | 'icon' | 'bar';
};

/** Account, Go to (in a bar only), Tools, Pricing & Trial, Theme, Help & Documentation, Log out. */
export function AccountMenu({ user, look }: AccountMenuProps) {
  const { logout } = useLogout();
  const menu = (
    <Menu
      trigger={look === 'row' ? rowTrigger(user) : iconTrigger(user)}
      side={look === 'row' ? 'top' : 'bottom'}
      align={look === 'row' ? 'start' : 'end'}
    >
      <MenuLabel>
        Logged in as <span className="font-medium text-ink">{user.username}</span>
      </MenuLabel>
      <MenuLink to={paths.account} icon={<CircleUserRound />}>
        Account
      </MenuLink>
      {/* The sidebar has a button for it, and a phone has no keys. */}
      {look !== 'row' && (
        <MenuItem onSelect={openCommandPalette}>
          <Search />
          Go to
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuLabel>Tools</MenuLabel>
      {toolEntries.map(({ name, label, icon: Icon }) => (
        <MenuLink key={name} to={paths[name]} icon={<Icon />}>
          {label}
        </MenuLink>
      ))}
      <MenuSeparator />
      <MenuLink to={paths.pricing} icon={<Tag />}>
        Pricing & Trial
      </MenuLink>
      <ThemeChoice />
      {/* In sight on the lowest screen, where the tools and the themes above scroll. */}
      <MenuFooter>
        <MenuLink to={paths.help} icon={<LifeBuoy />}>
          Help & Documentation
        </MenuLink>
        <MenuItem onSelect={logout}>
          <LogOut />
          Log out
        </MenuItem>
      </MenuFooter>
    </Menu>
  );
  if (look !== 'bar') return menu;
  return (
    <>
      <TrialDays className="shrink-0 text-xs text-ink-muted max-sm:hidden" />
      {menu}
    </>
  );
}

function MenuLink({ to, icon, children }: { to: string; icon: ReactNode; children: ReactNode }) {
  return (
    <MenuItem asChild>
      <Link to={to}>
        {icon}
        {children}
      </Link>
    </MenuItem>
  );
}

/** These are functions and not components: the menu passes its own attributes to the element itself. */
function rowTrigger(user: User) {
  return (
    <button
      type="button"
      className="flex h-control w-full items-center gap-2.5 rounded-control px-2 text-left text-sm text-ink-muted transition-colors hover:bg-surface-hover hover:text-ink data-[state=open]:bg-surface-hover data-[state=open]:text-ink"
    >
      <CircleUserRound />
      <span className="flex min-w-0 grow flex-col">
        <span className="truncate leading-4">{user.username}</span>
        <TrialDays className="truncate text-xs text-ink-faint" />
      </span>
      <span className="sr-only">Account menu</span>
      <ChevronsUpDown className="text-ink-faint" />
    </button>
  );
}

function iconTrigger(user: User) {
  return (
    <IconButton label={`Account menu of ${user.username}`} size="md">
      <CircleUserRound className="size-5" />
    </IconButton>
  );
}

const THEMES: readonly { value: Theme; title: string }[] = [
  { value: 'light', title: 'Light' },
  { value: 'dark', title: 'Dark' },
  { value: 'system', title: 'System' },
];

/** Offers the theme in the account menu. It is mounted with each opening, so that it shows another tab's choice. */
function ThemeChoice() {
  const [theme, choose] = useTheme();
  return (
    <>
      <MenuSeparator />
      <MenuLabel>Theme</MenuLabel>
      <MenuChoice label="Theme" value={theme} choices={THEMES} onChange={choose} />
    </>
  );
}
