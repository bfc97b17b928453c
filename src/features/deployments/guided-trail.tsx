import { classNames } from '../../components/class-names.ts';
import { GUIDED_STEPS, GUIDED_WORDS, type GuidedStep } from './guided-words.ts';

export type GuidedTrailProps = { current: GuidedStep; onGoTo: (step: GuidedStep) => void };

/** Where one is among the questions; those that were answered lead back. */
export function GuidedTrail({ current, onGoTo }: GuidedTrailProps) {
  const at = GUIDED_STEPS.indexOf(current);
  return (
    <nav aria-label={`Question ${at + 1} of ${GUIDED_STEPS.length}`}>
      <ol className="grid grid-cols-4 gap-2">
        {GUIDED_STEPS.map((step, index) => {
          const label = `${index + 1}. ${GUIDED_WORDS[step].short}`;
          const look = 'flex w-full items-start border-t-3 pt-2 text-left text-sm touch:min-h-11';
          return (
            <li key={step}>
              {index < at ? (
                <button
                  type="button"
                  onClick={() => onGoTo(step)}
                  className={classNames(look, 'rounded-b-tight border-accent text-ink-muted hover:text-ink')}
                >
                  {label}
                </button>
              ) : (
                <span
                  aria-current={index === at ? 'step' : undefined}
                  className={classNames(
                    look,
                    index === at ? 'border-accent font-medium text-ink' : 'border-line text-ink-muted',
                  )}
                >
                  {label}
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
