import { cpSync } from 'node:fs';
import { serviceBuild } from '../../tools/workspace/service-build.mjs';

// A thread runs the second program (libs/filter-engine/src/embedded/build-index.ts), and the explorer reads its files
// beside the first.
export default serviceBuild({
  programs: { 'build-index.worker': '@tradewind/filter-engine/build-index.worker' },
  onWritten: () => cpSync('src/explorer/assets', 'dist/assets', { recursive: true }),
});
