import { Download } from 'lucide-react';
import type { CsvTable, VisitsInput } from '../../../routers/schemas/analytics.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { saveDownload } from '../../api/use-download.ts';
import { Button } from '../../components/button.tsx';
import { Menu, MenuItem } from '../../components/overlays/menu.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';

const tables: readonly { table: CsvTable; title: string }[] = [
  { table: 'visits', title: 'Visits over time' },
  { table: 'pages', title: 'Pages' },
  { table: 'referrers', title: 'Referrers' },
];

/** Downloads the visits of the page as CSV. */
export function DownloadVisits({ range }: { range: VisitsInput }) {
  const prepare = trpc.analytics.download.useMutation({
    // It changes nothing that a screen shows.
    meta: { refresh: false },
    onSuccess: (link) => {
      saveDownload(link);
      showToast({ title: 'Download started', description: link.fileName });
    },
    onError: (error) => void showToast(errorToast('Could not download', error)),
  });
  return (
    <Menu
      trigger={
        <Button size="sm" isBusy={prepare.isPending} busyLabel="Preparing…">
          <Download /> Download CSV
        </Button>
      }
    >
      {tables.map(({ table, title }) => (
        <MenuItem key={table} onSelect={() => prepare.mutate({ ...range, table })}>
          {title}
        </MenuItem>
      ))}
    </Menu>
  );
}
