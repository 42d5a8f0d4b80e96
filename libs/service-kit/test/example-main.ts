import { runService } from '../src/index.js';
import { exampleService } from './example-service.js';

await runService(exampleService);
