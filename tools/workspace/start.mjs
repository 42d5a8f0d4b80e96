// `npm start`: builds, then runs the platform in this very process, so that Ctrl-C has one receiver.
import './load-env.mjs';
import { build } from './build.mjs';

console.log('· building');
build();
await import('../local-stack/dist/main.js');
