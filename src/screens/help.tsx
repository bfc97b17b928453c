import { Link } from 'wouter';
import { PageHeader } from '../components/page/page-header.tsx';
import { ArticleList } from '../features/help/article-list.tsx';
import { guides } from '../features/help/guides.ts';
import { paths } from '../lib/paths/paths.ts';

export function HelpScreen() {
  return (
    <>
      <PageHeader
        title="Help & Documentation"
        description={
          <p className="max-w-reading">
            How to use each part. For short answers, see the{' '}
            <Link to={paths.faq} className="font-medium text-accent underline underline-offset-4">
              Frequently Asked Questions
            </Link>
            . Write to us on the{' '}
            <Link to={paths.about} className="font-medium text-accent underline underline-offset-4">
              About page
            </Link>
            , or watch live events in the{' '}
            <Link to={paths.websocketDemo} className="font-medium text-accent underline underline-offset-4">
              WebSocket demo
            </Link>
            .
          </p>
        }
      />
      <ArticleList searchLabel="Search the documentation" chapters={guides} />
    </>
  );
}
