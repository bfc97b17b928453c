import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { classNames } from '../class-names.ts';
import { IconButton } from '../icon-button.tsx';
import { Input } from './input.tsx';

export type PasswordInputProps = Omit<ComponentProps<'input'>, 'type'> & {
  /** The button names this as the thing that it shows. */
  what?: 'password' | 'token';
};

/** A secret with a button that shows it. Showing and hiding keep the caret, which a change of `type` would lose. */
export function PasswordInput({ className, ref, what = 'password', ...rest }: PasswordInputProps) {
  const [isShown, setShown] = useState(false);
  const inputRef = useRef<HTMLInputElement>(null);

  function toggle() {
    const input = inputRef.current;
    const caret = [input?.selectionStart ?? null, input?.selectionEnd ?? null] as const;
    flushSync(() => setShown((before) => !before));
    input?.setSelectionRange(...caret);
  }

  return (
    <div className="relative">
      <Input
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        {...rest}
        type={isShown ? 'text' : 'password'}
        ref={(element) => {
          inputRef.current = element;
          if (typeof ref === 'function') return ref(element);
          if (ref) ref.current = element;
          return undefined;
        }}
        className={classNames('pr-12', isShown && 'font-mono', className)}
      />
      <IconButton
        label={isShown ? `Hide ${what}` : `Show ${what}`}
        // The field keeps the focus, and so the keyboard of a phone stays open.
        onMouseDown={(event) => event.preventDefault()}
        onClick={toggle}
        className="absolute inset-y-0 right-1 my-auto touch:right-0"
      >
        {isShown ? <EyeOff /> : <Eye />}
      </IconButton>
    </div>
  );
}
