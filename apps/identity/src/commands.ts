// What operators can do: `tradewind identity user create ...`.
import { auditCommands } from './operators/audit.commands.js';
import { clientCommands } from './operators/client.commands.js';
import type { Open, Program } from './operators/command-line.js';
import { keyCommands } from './operators/key.commands.js';
import { serviceTokenCommands } from './operators/service-token.commands.js';
import { userCommands } from './operators/user.commands.js';

export function addCommands(program: Program, open: Open): void {
  userCommands(program, open);
  clientCommands(program, open);
  keyCommands(program, open);
  auditCommands(program, open);
  serviceTokenCommands(program);
}
