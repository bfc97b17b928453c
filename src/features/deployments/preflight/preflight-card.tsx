import { Suspense, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Card, CardBody, CardHeader } from '../../../components/card.tsx';
import { SkeletonRows } from '../../../components/skeleton.tsx';
import { lazyComponent } from '../../../lib/lazy-component.tsx';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import type { PreflightFormProps } from './preflight-form.tsx';

/** Loads the form library, which the screen does without until somebody asks. */
const form = lazyComponent<PreflightFormProps>(async () => (await import('./preflight-form.tsx')).PreflightForm);

/** Rehearses a real deployment: what would be sent, step by step, and what would be refused. */
export function PreflightCard({ report }: { report: SelectionReport | null }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card>
      <CardHeader title="Preflight" />
      <CardBody>
        <p className="text-ink-muted">
          Shows step by step what a deployment would send, and what would be refused. It asks your platform and your
          name servers, and checks the rules for certificates. Nothing is created, changed or published.
        </p>
        {!isOpen && (
          <Button className="mt-4" onClick={() => setOpen(true)}>
            Set up a preflight
          </Button>
        )}
      </CardBody>
      {isOpen && (
        <Suspense fallback={<SkeletonRows rows={3} />}>
          <form.Component report={report} />
        </Suspense>
      )}
    </Card>
  );
}
