import { AtSign, Globe, LogOut, type LucideIcon, Moon, Sun, SunMoon, Trash2, Undo2 } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import { DEPLOYMENT_NAME_MAX } from '../../routers/schemas/limits.ts';
import { searchKey } from '../../routers/schemas/normal-form.ts';
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
import { deploymentLabel } from '../lib/deployment-label.ts';
import { href } from '../lib/paths/paths.ts';
import { wayFrom } from '../lib/roll-back.ts';
import { type Theme, writeTheme } from '../lib/storage/storage.ts';
import { writtenName } from '../lib/written-name.ts';
import { screenLinks } from './screen-links.ts';

type Command = {
  id: string;
  label: string;
  kind: string;
  icon: LucideIcon;
  run: () => void;
  /** Other words for it. */
  also?: string | undefined;
};

/** Acts of a deployment, with the place on its page where each is done. */
const DEPLOYMENT_ACTS: readonly {
  /** Returns the words before the name of the deployment; null when there is nothing to do there. */
  act: (deployment: Deployment) => string | null;
  names: RegExp;
  place: string;
  icon: LucideIcon;
}[] = [
  {
    act: (deployment) => {
      const way = wayFrom(deployment);
      return way === 'Bring back a later release' ? `${way} of` : way;
    },
    names: /\b(roll( ?back)?|bring back|undo|restore|revert)\b/i,
    place: '?tab=releases',
    icon: Undo2,
  },
  { act: () => 'Delete', names: /\b(delete|remove|unpublish)\b/i, place: '?tab=settings#delete', icon: Trash2 },
];

const THEMES: readonly [Theme, string, LucideIcon][] = [
  ['light', 'Light theme', Sun],
  ['dark', 'Dark theme', Moon],
  ['system', 'System theme', SunMoon],
];

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

/**
 * The list is as high for one match as for many, so that the dialog stays where it is while someone types. It fades at
 * its end, and the marked row stays clear of that.
 */
const listLook =
  'mt-3 h-80 scroll-pb-8 overflow-y-auto mask-b-from-[calc(100%-2rem)] pb-8 max-sm:h-[calc(100dvh-10rem)]';

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
      {/* In the empty list, at its top; the list below it stays where it is. */}
      <p role="status" className="absolute px-3 pt-5 text-sm text-ink-muted">
        {commands.length === 0 && `Nothing matches “${text.trim()}”.`}
      </p>
      <div id={listId} role="listbox" aria-label="Matches" className={listLook}>
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

/** Returns the commands that match the text, those whose own words match first. */
function useCommands(text: string): Command[] {
  const navigate = useNavigate();
  const { user } = useUser();
  const { logout } = useLogout();
  const enabled = user !== null;
  const { items, wanted, found } = useDeployments(text, enabled);
  const domains = trpc.domains.list.useQuery({ limit: DOMAINS_FETCHED }, { enabled });

  const screens: Command[] = [
    ...screenLinks.map(
      ({ path, label, icon, also }): Command => ({ ...goTo(path, label, icon), kind: 'Screen', also }),
    ),
    ...items.map(
      (deployment): Command => ({
        ...goTo(href.deployment(deployment.id), deploymentLabel(deployment), Globe),
        kind: 'Deployment',
        also: found,
      }),
    ),
  ];
  const ofDomains = (domains.data?.items ?? []).map(
    (domain): Command => ({
      ...goTo(href.domain(domain.id), writtenName(domain), AtSign),
      kind: 'Domain',
      also: domain.name,
    }),
  );
  const ofDeployments = wanted.flatMap(({ act, place, icon, names }) =>
    items.flatMap((deployment): Command[] => {
      const words = act(deployment);
      if (words === null) return [];
      const command = goTo(href.deployment(deployment.id) + place, `${words} ${deploymentLabel(deployment)}`, icon);
      return [{ ...command, kind: 'Action', also: found ?? names.exec(text)?.[0] }];
    }),
  );
  const acts: Command[] = enabled
    ? [
        ...THEMES.map(([theme, label, icon]): Command => {
          return { id: theme, label, kind: 'Action', icon, run: () => writeTheme(theme), also: 'appearance mode' };
        }),
        { id: 'logout', label: 'Log out', kind: 'Action', icon: LogOut, run: logout, also: 'logout sign out' },
      ]
    : [];
  const matches = [
    ...ofDeployments.filter(isMatch(text)),
    ...screens.filter(isMatch(text)),
    ...ofDomains.filter(isMatch(text)).slice(0, DOMAINS_SHOWN),
    ...acts.filter(isMatch(text)),
  ];
  const isNamed = isMatch(text, false);
  return [...matches.filter(isNamed), ...matches.filter((command) => !isNamed(command))];

  function goTo(path: string, label: string, icon: LucideIcon) {
    return { id: path, label, icon, run: () => navigate(path) };
  }
}

/** Returns the deployments that the text may name, and the acts that it names with them. */
function useDeployments(text: string, enabled: boolean) {
  const wanted = DEPLOYMENT_ACTS.filter(({ names }) => names.test(text));
  // "delete harbour" looks for harbour.
  const named = wanted.reduce((rest, { names }) => rest.replace(names, ''), text).trim();
  const search = useDebounced(named);
  const { data, isPlaceholderData } = trpc.deployments.list.useQuery(
    { limit: DEPLOYMENTS_SHOWN, ...(search !== '' && { search }) },
    { enabled, placeholderData: (earlier) => earlier },
  );
  // The server also finds them by their addresses, which are not all here.
  const isAnswer = named !== '' && named === search && !isPlaceholderData;
  return { items: data?.items ?? [], wanted, found: isAnswer ? text : undefined };
}

/** Matches commands that have each word of the text in their label, or in what else people call them. */
function isMatch(text: string, isAnyName = true): (command: Command) => boolean {
  const words = searchKey(text).split(/\s+/);
  return ({ label, also = '' }) => {
    const names = searchKey(isAnyName ? `${label} ${also}` : label);
    return words.every((word) => names.includes(word));
  };
}
