import { platformSuite } from '../support/platform-suite.ts';
import { githubUnderTest } from '../support/standins/github-pages/world.ts';

await platformSuite('GitHub Pages', githubUnderTest);
