// Jest, as the target `test` of each project runs it: `node ../../tools/workspace/jest.mjs [words for Jest]` in the
// folder of a project.
import './jest-hooks.mjs';

const { run } = await import('jest');
await run();
