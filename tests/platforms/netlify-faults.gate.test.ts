import { platformFaultsSuite } from '../support/platform-suite.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';

await platformFaultsSuite('Netlify', netlifyUnderTest);
