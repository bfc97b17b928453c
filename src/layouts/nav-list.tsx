import { Link } from 'wouter';
import { Tag } from '../components/badge.tsx';
import { classNames } from '../components/class-names.ts';
import { useAddress } from '../lib/browser/location.ts';
import { paths } from '../lib/paths/paths.ts';
import { type Entry, type Group, isCurrentEntry } from './navigation.ts';

/** Leaves room for the longest label, in medium weight, beside its badge. */
const entryLook =
  'flex h-8 items-center gap-1.5 short:h-7 rounded-control border pr-1 pl-2 text-sm transition-colors touch:h-11 [&_.lucide]:shrink-0';
const idleLook = 'border-transparent text-ink-muted hover:bg-surface-hover hover:text-ink';
const currentLook = 'border-line bg-surface-raised font-medium text-ink [&_.lucide]:text-accent';

export const idleEntryLook = classNames(entryLook, idleLook);

/** The groups of the sidebar or of the mobile menu. */
export function NavGroups({ groups, onNavigate }: { groups: readonly Group[]; onNavigate?: (() => void) | undefined }) {
  return groups.map(({ title, entries }) => (
    <section key={title} aria-labelledby={`nav-${title}`} className="flex flex-col">
      <h2 id={`nav-${title}`} className="px-2 pb-1.5 short:pb-1 text-xs font-medium text-ink-faint">
        {title}
      </h2>
      <NavList entries={entries} onNavigate={onNavigate} />
    </section>
  ));
}

export function NavList({ entries, onNavigate }: { entries: readonly Entry[]; onNavigate?: (() => void) | undefined }) {
  const { pathname } = useAddress();
  return (
    <ul className="flex flex-col">
      {entries.map(({ name, label, icon: Icon, badge }) => {
        const isCurrent = isCurrentEntry(name, pathname);
        return (
          <li key={name}>
            <Link
              to={paths[name]}
              onClick={onNavigate}
              aria-current={isCurrent ? 'page' : undefined}
              className={classNames(entryLook, isCurrent ? currentLook : idleLook)}
            >
              <Icon />
              <span className="min-w-0 grow truncate">{label}</span>
              {badge !== undefined && <Tag>{badge}</Tag>}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
