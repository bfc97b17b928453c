import { Search } from 'lucide-react';
import { type ComponentProps, useEffect, useRef } from 'react';
import { classNames } from '../class-names.ts';
import { Input } from './input.tsx';

type SearchFieldProps = Omit<ComponentProps<'input'>, 'type' | 'ref' | 'onChange' | 'value'> & {
  label: string;
  value: string;
  onValueChange: (value: string) => void;
};

/** The search field of a list; the key "/" focuses it. */
export function SearchField({ label, value, onValueChange, className, ...rest }: SearchFieldProps) {
  const inputRef = useRef<HTMLInputElement>(null);

  useEffect(() => {
    function focusOnSlash(event: KeyboardEvent) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      inputRef.current?.focus();
    }
    document.addEventListener('keydown', focusOnSlash);
    return () => document.removeEventListener('keydown', focusOnSlash);
  }, []);

  return (
    <div className={classNames('relative', className)}>
      <Search className="pointer-events-none absolute inset-y-0 left-3 my-auto text-ink-muted" />
      <Input
        {...rest}
        ref={inputRef}
        type="search"
        aria-label={label}
        placeholder={rest.placeholder ?? 'Search'}
        value={value}
        onChange={(event) => onValueChange(event.target.value)}
        className="peer pr-10 pl-9 [&::-webkit-search-cancel-button]:hidden"
      />
      <kbd
        aria-hidden
        className="pointer-events-none absolute inset-y-0 right-2.5 my-auto flex size-5 items-center justify-center rounded-tight border border-line font-sans text-xs text-ink-faint peer-focus:hidden touch:hidden"
      >
        /
      </kbd>
    </div>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select, [role="menu"] *'))
  );
}
