import { AtSign, Globe, LogOut, type LucideIcon, Plus } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { DEPLOYMENT_NAME_MAX } from '../../routers/schemas/limits.ts';
import { PAGE_SIZE_MAX } from '../../routers/schemas/primitives.ts';
import { DataProvider } from '../api/data-provider.tsx';
import { trpc } from '../api/trpc.ts';
import { useUser } from '../api/user.ts';
import { classNames } from '../components/class-names.ts';
import { Input } from '../components/fields/input.tsx';
import { Dialog } from '../components/overlays/dialog.tsx';
import { useLogout } from '../features/auth/use-logout.ts';
import { useNavigate } from '../lib/browser/location.ts';
import { useDebounced } from '../lib/browser/use-debounced.ts';
import { href, paths } from '../lib/paths.ts';
import { footerEntries, sidebarGroups } from './navigation.ts';

type Command = { id: string; label: string; kind: string; icon: LucideIcon; run: () => void };

const DEPLOYMENTS_SHOWN = 8;
/** The server has no search for domains: these are filtered here. */
const DOMAINS_FETCHED = PAGE_SIZE_MAX;
const DOMAINS_SHOWN = 8;

/** Finds screens, deployments, domains and acts by name, and opens them. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  return (
    <Dialog isOpen onOpenChange={onClose} title="Go to">
      <DataProvider>
        <Palette onClose={onClose} />
      </DataProvider>
    </Dialog>
  );
}

/** The field and its matches, without the dialog around them. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [marked, setMarked] = useState(0);
  const listId = useId();
  const commands = useCommands(text.trim());
  const current = Math.min(marked, commands.length - 1);

  function choose(command: Command | undefined): void {
    if (command === undefined) return;
    onClose();
    command.run();
  }
  function move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') choose(commands[current]);
    if (step !== undefined && commands.length > 0) setMarked((current + step + commands.length) % commands.length);
    if (event.key === 'Enter' || step !== undefined) event.preventDefault();
  }

  return (
    <>
      <Input
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={current < 0 ? undefined : `${listId}-${current}`}
        aria-label="Screen, deployment, domain or action"
        placeholder="Screen, deployment, domain or action"
        autoComplete="off"
        spellCheck={false}
        name="command"
        value={text}
        maxLength={DEPLOYMENT_NAME_MAX}
        onChange={(event) => {
          setText(event.target.value);
          setMarked(0);
        }}
        onKeyDown={move}
      />
      {/* As high for one match as for many: the dialog stays where it is while someone types. */}
      <div id={listId} role="listbox" aria-label="Matches" className="mt-3 h-80 overflow-y-auto max-sm:h-auto">
        {commands.map((command, index) => (
          <Option
            key={command.id}
            id={`${listId}-${index}`}
            command={command}
            isMarked={index === current}
            onMark={() => setMarked(index)}
            onChoose={() => choose(command)}
          />
        ))}
      </div>
      <p role="status" className="text-sm text-ink-muted">
        {commands.length === 0 && `Nothing matches “${text.trim()}”.`}
      </p>
    </>
  );
}

type OptionProps = { id: string; command: Command; isMarked: boolean; onMark: () => void; onChoose: () => void };

function Option({ id, command: { icon: Icon, label, kind }, isMarked, onMark, onChoose }: OptionProps) {
  return (
    // The focus stays in the field, which has the keys.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above chooses by Enter
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isMarked}
      ref={(row) => {
        if (isMarked) row?.scrollIntoView({ block: 'nearest' });
      }}
      onPointerMove={onMark}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={classNames(
        'flex h-control cursor-default items-center gap-2.5 rounded-control px-3',
        isMarked && 'bg-surface-hover',
      )}
    >
      <Icon className="shrink-0 text-ink-muted" />
      <span className="min-w-0 grow truncate">{label}</span>
      <span className="shrink-0 text-xs text-ink-muted">{kind}</span>
    </div>
  );
}

/** Returns the commands that match the text, the screens first. */
function useCommands(text: string): Command[] {
  const navigate = useNavigate();
  const { user } = useUser();
  const { logout } = useLogout();
  const enabled = user !== null;
  const search = useDebounced(text);
  const deployments = trpc.deployments.list.useQuery(
    { limit: DEPLOYMENTS_SHOWN, ...(search !== '' && { search }) },
    { enabled, placeholderData: (earlier) => earlier },
  );
  const domains = trpc.domains.list.useQuery({ limit: DOMAINS_FETCHED }, { enabled });

  const screens = [...sidebarGroups.flatMap(({ entries }) => entries), ...footerEntries].map(
    ({ name, label, icon }): Command => ({ ...goTo(paths[name], label, icon), kind: 'Screen' }),
  );
  const places: Command[] = [
    ...screens,
    { ...goTo(paths.quickDeploy, 'Quick Deploy', Plus), kind: 'Screen' },
    ...(deployments.data?.items ?? []).map(
      ({ id, name }): Command => ({ ...goTo(href.deployment(id), name, Globe), kind: 'Deployment' }),
    ),
  ];
  const ofDomains = (domains.data?.items ?? []).map(
    ({ id, name }): Command => ({ ...goTo(href.domain(id), name, AtSign), kind: 'Domain' }),
  );
  const acts: Command[] = enabled
    ? [{ id: 'logout', label: 'Log out', kind: 'Action', icon: LogOut, run: logout }]
    : [];
  return [
    ...places.filter(isMatch(text)),
    ...ofDomains.filter(isMatch(text)).slice(0, DOMAINS_SHOWN),
    ...acts.filter(isMatch(text)),
  ];

  function goTo(path: string, label: string, icon: LucideIcon) {
    return { id: path, label, icon, run: () => navigate(path) };
  }
}

/** Matches labels that contain each word of the text. */
function isMatch(text: string): (command: Command) => boolean {
  const words = text.toLowerCase().split(/\s+/);
  return ({ label }) => words.every((word) => label.toLowerCase().includes(word));
}
