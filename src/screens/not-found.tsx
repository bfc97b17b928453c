import { Link } from 'wouter';
import { Button } from '../components/button.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { paths } from '../lib/paths/paths.ts';

export function NotFoundScreen() {
  return (
    <>
      <PageHeader title="404 Page Not Found" description="Did you forget to add the page to the router?" />
      <Button asChild>
        <Link to={paths.home}>Go to Home</Link>
      </Button>
    </>
  );
}
