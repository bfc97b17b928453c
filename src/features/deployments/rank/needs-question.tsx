import type { Needs } from '../../../../routers/schemas/recommendations.ts';
import { Button } from '../../../components/button.tsx';
import { Checkbox } from '../../../components/fields/checkbox.tsx';
import type { Ranker } from './use-ranking.ts';

/** Each has the effect of the answer; the ranking knows the platforms once there is something to rank. */
const QUESTIONS: readonly { need: keyof Needs; label: string; changes: string }[] = [
  { need: 'ownDomain', label: 'A custom domain', changes: 'On some platforms you have to add it there yourself' },
  { need: 'redirects', label: 'Redirects from old addresses', changes: 'Some platforms ignore the _redirects file' },
  {
    need: 'privateFiles',
    label: 'Hosting without a public Git repository',
    changes: 'Some platforms publish from one',
  },
  { need: 'forms', label: 'Forms that visitors send', changes: 'They need a service that receives them' },
  { need: 'functions', label: 'Code that runs on a server', changes: 'Fairlead publishes files only' },
];

export type NeedsQuestionProps = { ranker: Ranker };

/** Asks what the site needs, with or without files. */
export function NeedsQuestion({ ranker: { ranking, needs, answer, affectedBy } }: NeedsQuestionProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">What your site needs</legend>
      {QUESTIONS.map(({ need, label, changes }) => (
        <Checkbox
          key={need}
          label={
            <>
              {label} <span className="block text-sm text-ink-muted">{changeText(changes, affectedBy(need))}</span>
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

function changeText(changes: string, affected: ReturnType<Ranker['affectedBy']>): string {
  if (affected === 'all') return `${changes}: no platform here can do that.`;
  return affected.length === 0 ? `${changes}.` : `${changes}: ${affected.join(', ')}.`;
}
