import { platformSuite } from '../support/platform-suite.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';

await platformSuite('Netlify', netlifyUnderTest);
