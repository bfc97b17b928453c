import { platformSuite } from '../support/platform-suite.ts';
import { renderUnderTest } from '../support/standins/render/world.ts';

await platformSuite('Render', renderUnderTest);
