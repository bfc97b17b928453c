import { BookOpenText, IdCard, Images, type LucideIcon, Newspaper, UtensilsCrossed } from 'lucide-react';
import { useState } from 'react';
import { Card, CardHeader } from '../../../components/card.tsx';
import { lazyDialog } from '../../../components/overlays/lazy-dialog.tsx';
import type { DestinationFields } from '../create/destination-fields.ts';
import { TEMPLATES, type Template, type TemplateId } from './templates.ts';

const ICONS: Record<TemplateId, LucideIcon> = {
  'link-page': IdCard,
  restaurant: UtensilsCrossed,
  portfolio: Images,
  blog: Newspaper,
  documentation: BookOpenText,
};

const TemplateDialog = lazyDialog(async () => (await import('./template-dialog.tsx')).TemplateDialog);

/** The templates, for a person who has no files yet. `destination` is the form's place of publication. */
export function TemplateList({ destination }: { destination: () => DestinationFields }) {
  const [chosen, setChosen] = useState<Template | null>(null);
  return (
    <Card aria-labelledby="templates">
      <CardHeader id="templates" title="No files yet? Start from a template" />
      <ul className="grid gap-1 p-2 sm:grid-cols-2">
        {TEMPLATES.map((template) => {
          const { id, title, description } = template;
          const Icon = ICONS[id];
          return (
            <li key={id}>
              <button
                type="button"
                className="flex w-full items-start gap-3 rounded-control px-3 py-2.5 text-left transition-colors hover:bg-surface-hover"
                onClick={() => setChosen(template)}
              >
                <Icon className="mt-0.5 size-4 shrink-0 text-accent" />
                <span className="min-w-0">
                  <span className="block font-medium">{title}</span>
                  <span className="block text-sm text-ink-muted">{description}</span>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      {chosen !== null && (
        <TemplateDialog template={chosen} destination={destination()} onClose={() => setChosen(null)} />
      )}
    </Card>
  );
}
