import type { Needs } from '../../../../routers/schemas/recommendations.ts';
import { Button } from '../../../components/button.tsx';
import { Checkbox } from '../../../components/checkbox.tsx';
import type { Ranker } from './use-ranking.ts';

/** Each with what the answer changes; a test holds the names to the ranking. */
export const QUESTIONS: readonly { need: keyof Needs; label: string; changes: string }[] = [
  { need: 'ownDomain', label: 'A domain of its own', changes: 'Set up from here. At Replit you add it yourself.' },
  {
    need: 'redirects',
    label: 'Redirects from old addresses',
    changes: 'Rules out GitHub Pages, Render and Replit, which ignore the file _redirects.',
  },
  {
    need: 'privateFiles',
    label: 'Files in no public repository',
    changes: 'Rules out GitHub Pages and Render, which publish from one.',
  },
  {
    need: 'forms',
    label: 'Forms that visitors send',
    changes: 'Rules out every place: a service has to receive them.',
  },
  {
    need: 'functions',
    label: 'Code that runs on a server',
    changes: 'Rules out every place: Fairlead publishes files.',
  },
];

export type NeedsQuestionProps = { ranker: Ranker };

/** Asks what the site needs, with or without files. */
export function NeedsQuestion({ ranker: { ranking, needs, answer } }: NeedsQuestionProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">What your site needs</legend>
      {QUESTIONS.map(({ need, label, changes }) => (
        <Checkbox
          key={need}
          label={
            <>
              {label} <span className="block text-sm text-ink-muted">{changes}</span>
            </>
          }
          isChecked={needs[need] === true}
          onChange={(isNeeded) => answer({ ...needs, [need]: isNeeded })}
        />
      ))}
      {ranking === null && (
        <Button size="sm" className="self-start" onClick={() => answer({})}>
          None of these
        </Button>
      )}
    </fieldset>
  );
}
