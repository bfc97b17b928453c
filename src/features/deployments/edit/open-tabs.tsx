import { X } from 'lucide-react';
import { classNames } from '../../../components/class-names.ts';
import { IconButton } from '../../../components/icon-button.tsx';
import { useTabKeys } from '../../../components/page/tab-keys.ts';
import type { Changes } from './draft.ts';

export type OpenTabsProps = {
  id: string;
  open: readonly string[];
  active: string;
  changes: Changes;
  onShow: (path: string) => void;
  onClose: (path: string) => void;
};

/** The open files; Delete, or the middle button of a mouse, closes one. */
export function OpenTabs({ id, open, active, changes, onShow, onClose }: OpenTabsProps) {
  const keys = useTabKeys(open, active, onShow);
  return (
    <div className="flex shrink-0 items-center border-b border-line bg-surface-sunken">
      <div role="tablist" aria-label="Open files" className="flex min-w-0 flex-1 overflow-x-auto">
        {open.map((path, index) => {
          const { onKeyDown, ...tab } = keys.of(path);
          return (
            <button
              key={path}
              {...tab}
              type="button"
              role="tab"
              id={`${id}-tab-${index}`}
              aria-controls={path === active ? `${id}-panel` : undefined}
              onKeyDown={(event) => (event.key === 'Delete' ? onClose(path) : onKeyDown(event))}
              onAuxClick={(event) => event.button === 1 && onClose(path)}
              className={classNames(
                'flex h-control shrink-0 items-center gap-1.5 border-r border-line px-3 text-sm transition-colors focus-visible:-outline-offset-2',
                path === active ? 'bg-surface-raised font-medium' : 'text-ink-muted hover:text-ink',
              )}
            >
              <span className="max-w-48 truncate">{nameAmong(open, path)}</span>
              {changes.has(path) && (
                <span className="size-1.5 shrink-0 rounded-full bg-warn">
                  <span className="sr-only">edited</span>
                </span>
              )}
            </button>
          );
        })}
      </div>
      <IconButton label={`Close ${nameAmong(open, active)}`} className="mx-1" onClick={() => onClose(active)}>
        <X />
      </IconButton>
    </div>
  );
}

/** Returns the name of a file, with its folder if another open one has the same. */
function nameAmong(open: readonly string[], path: string): string {
  const nameOf = (one: string) => one.slice(one.lastIndexOf('/') + 1);
  const isAlone = open.filter((one) => nameOf(one) === nameOf(path)).length < 2;
  return isAlone ? nameOf(path) : path.split('/').slice(-2).join('/');
}
