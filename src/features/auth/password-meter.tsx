import { Check } from 'lucide-react';
import { classNames } from '../../components/class-names.ts';
import { passwordChecks, passwordStrength, strengthLabel } from './password-strength.ts';

/** Strength bar and live checklist under the password of a registration. */
export function PasswordMeter({ password }: { password: string }) {
  const strength = passwordStrength(password);
  return (
    <div className="mt-2 flex flex-col gap-2.5">
      <div className="flex items-center gap-2">
        {/* biome-ignore lint/a11y/useSemanticElements: a <meter> is drawn by each browser in a way of its own */}
        <div
          role="meter"
          aria-label="Password strength"
          aria-valuenow={strength}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuetext={password === '' ? 'Empty' : strengthLabel(strength)}
          className="h-1 grow overflow-hidden rounded-full bg-line"
        >
          <div
            className="h-full w-full origin-left rounded-full bg-accent transition-transform"
            style={{ transform: `scaleX(${strength / 100})` }}
          />
        </div>
        <span className="min-w-16 text-right text-xs text-ink-muted">
          {password === '' ? '' : strengthLabel(strength)}
        </span>
      </div>
      <ul className="grid grid-cols-2 gap-x-3 gap-y-1.5 text-xs">
        {passwordChecks.map(({ label, isMet }) => (
          <ChecklistItem key={label} label={label} isMet={isMet(password)} />
        ))}
      </ul>
    </div>
  );
}

function ChecklistItem({ label, isMet }: { label: string; isMet: boolean }) {
  return (
    <li className={classNames('flex items-start gap-1.5', isMet ? 'text-good' : 'text-ink-muted')}>
      {isMet ? (
        <Check className="mt-px size-3.5 animate-tick" />
      ) : (
        <span aria-hidden className="m-1 mt-1.5 size-1.5 shrink-0 rounded-full bg-line-strong" />
      )}
      {label}
      <span className="sr-only">{isMet ? ' (done)' : ' (missing)'}</span>
    </li>
  );
}
