import { Link } from 'wouter';
import type { RemovedDomain as Removed } from '../../../routers/schemas/domains.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardBody, CardHeader } from '../../components/card.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { paths } from '../../lib/paths/paths.ts';

export type RemovedDomainProps = { name: string } & Pick<Removed, 'deleteFirst' | 'stays'>;

/**
 * Lists the records of a removed domain that remain at the DNS provider: the next holder of the name would get its
 * visitors.
 */
export function RemovedDomain({ name, deleteFirst, stays }: RemovedDomainProps) {
  return (
    <>
      <PageHeader
        title={<span className="font-mono font-medium">{name}</span>}
        crumbs={[{ label: 'Domains', to: paths.domains }, { label: name }]}
        description="Removed. Fairlead no longer serves this domain."
      />
      <Card>
        <CardHeader title={deleteFirst.length > 0 ? 'Now delete these records' : 'These records stay'} />
        <CardBody className="flex flex-col gap-4">
          {deleteFirst.length > 0 && (
            <>
              <p className="text-pretty">
                While they are at your DNS provider, somebody else could put a site on this domain.
              </p>
              <RecordList label="Records to delete" records={deleteFirst} />
            </>
          )}
          {stays.length > 0 && (
            <>
              <p className="text-pretty">
                Fairlead added these CAA records and leaves them in place: they only say who may issue certificates, and
                your other names may need them.
              </p>
              <RecordList label="Records that stay" records={stays} />
            </>
          )}
          <Button asChild className="w-fit">
            <Link to={paths.domains}>Back to your domains</Link>
          </Button>
        </CardBody>
      </Card>
    </>
  );
}

function RecordList({ label, records }: { label: string; records: Removed['deleteFirst'] }) {
  return (
    <ul aria-label={label} className="flex flex-col gap-1 font-mono text-sm">
      {records.map(({ type, name: owner, value }) => (
        <li key={`${type} ${owner} ${value}`} className="wrap-anywhere">
          {type} {owner} {value}
        </li>
      ))}
    </ul>
  );
}
