import { useState } from 'react';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { ChoiceList } from '../../../components/fields/choice-list.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { type Base, type Draft, rebased } from './draft.ts';

export const CONFLICT_CHOICES = ['merge', 'mine', 'theirs'] as const;
export type ConflictChoice = (typeof CONFLICT_CHOICES)[number];

export type ConflictDialogProps = {
  draft: Draft;
  /** The release that went live meanwhile. */
  newer: Base;
  onChoose: (choice: ConflictChoice) => void;
  onClose: () => void;
};

/** Asks about the changes when another release went live since they were begun. */
export function ConflictDialog({ draft, newer, onChoose, onClose }: ConflictDialogProps) {
  const [choice, setChoice] = useState<ConflictChoice>('merge');
  const { both } = rebased(draft, newer);
  const files = formatCount(both.length, 'file');
  return (
    <FormDialog
      title={`Release ${newer.number} is live`}
      description={`Your changes are based on release ${draft.base.number}.`}
      submitLabel="Continue"
      busyLabel="…"
      isBusy={false}
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(choice);
      }}
      onClose={onClose}
    >
      <ChoiceList
        label="Your changes"
        value={choice}
        onChange={setChoice}
        choices={[
          {
            value: 'merge',
            title: `Add them to release ${newer.number}`,
            description:
              both.length === 0
                ? `No file changed both here and in release ${newer.number}.`
                : `${files} changed both here and in release ${newer.number}. Your version is kept: ${both.slice(0, 5).join(', ')}${both.length > 5 ? ' …' : ''}`,
          },
          {
            value: 'mine',
            title: 'Keep the files as you have them',
            description: `Publishing undoes what release ${newer.number} changed.`,
          },
          {
            value: 'theirs',
            title: 'Discard your changes',
            description: `You continue with the files of release ${newer.number}.`,
          },
        ]}
      />
    </FormDialog>
  );
}
