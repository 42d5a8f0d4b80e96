// `npm run <tool> -- arguments`: builds, then runs dist/<entry>.js of a tool in this very process.
import './load-env.mjs';
import { build } from './build.mjs';

const [tool, entry] = process.argv.splice(2, 2);
build();
await import(`../${tool}/dist/${entry}.js`);
