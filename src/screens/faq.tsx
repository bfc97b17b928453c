import { Link } from 'wouter';
import { PageHeader } from '../components/page/page-header.tsx';
import { ArticleList } from '../features/help/article-list.tsx';
import { questions } from '../features/help/questions.ts';
import { paths } from '../lib/paths/paths.ts';

export function FaqScreen() {
  return (
    <>
      <PageHeader
        title="Frequently Asked Questions"
        description={
          <>
            Longer answers, step by step, are in{' '}
            <Link to={paths.help} className="font-medium text-accent underline underline-offset-4">
              Help & Documentation
            </Link>
            .
          </>
        }
      />
      <ArticleList searchLabel="Search the questions" chapters={questions} />
    </>
  );
}
